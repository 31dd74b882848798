/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/watch/crash.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define CRASH_STACK_BYTES (64u << 10) /* with room for the registers of AVX-512 and AMX */
#define CRASH_BELOW_BYTES (64u << 10) /* the first access of a frame may be this far below the stack pointer */
#define CRASH_ABOVE_BYTES 256u
#define CRASH_SCANNED     4096u /* words of the stack that are searched for a caller */
#define CRASH_PENDING_MAX 65536 /* bytes that stdio may hold */
#define CRASH_CALL_BYTES  6u    /* the longest call before a return address */
#define CRASH_ERROR_WRITE 0x02u /* of a page fault's error code */
#define CRASH_ERROR_FETCH 0x10u

static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

/* Everything that the handler needs; written before the module is loaded. */
static struct {
        BlockHead *head; /* NULL: not watched */
        pid_t pid;
        CrashFiles files;
        _Atomic int first; /* the signal whose handler runs, or has run */
} crash;

/* ---- dying */

static void __attribute__((noreturn)) crash_die(int number) {
        struct sigaction action = { .sa_handler = SIG_DFL };
        sigset_t set;

        sigaction(number, &action, NULL);
        sigemptyset(&set);
        sigaddset(&set, number);
        syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, _NSIG / 8);
        for (;;)
                syscall(SYS_tgkill, getpid(), gettid(), number);
}

/* Writes the text that stdio still buffers, since it may explain the crash best. Takes no lock, which may be held. */
static void crash_write_pending(void) {
        const FILE *file = stdout;
        const char *from = file->_IO_write_base;
        ssize_t n = file->_IO_write_ptr - from;

        if (from && n > 0 && n <= CRASH_PENDING_MAX)
                (void)!write(STDOUT_FILENO, from, n);
}

/* ---- the note */

/* Reads its own memory through the kernel, since the address may be unmapped. Returns the bytes read. */
static size_t crash_read(uint64_t address, void *buffer, size_t n) {
        struct iovec own = { buffer, n }, other = { (void *)(uintptr_t)address, n };
        ssize_t n_read = process_vm_readv(crash.pid, &own, 1, &other, 1, 0);

        return n_read > 0 ? n_read : 0;
}

/*
 * True if memory at @address is missing because the stack is full: it is near the stack pointer @stack, or above it in
 * a large frame whose pointer has no memory.
 */
static bool crash_is_of_stack(uint64_t address, uint64_t stack) {
        uint8_t byte;

        if (address + CRASH_BELOW_BYTES < stack)
                return false;
        return address < stack + CRASH_ABOVE_BYTES || crash_read(stack, &byte, sizeof byte) == 0;
}

static BlockCrashAccess crash_access(const siginfo_t *info, const ucontext_t *context) {
        const uint64_t address = (uintptr_t)info->si_addr, error = context->uc_mcontext.gregs[REG_ERR];
        const uint64_t stack = context->uc_mcontext.gregs[REG_RSP];

        if ((info->si_signo != SIGSEGV && info->si_signo != SIGBUS) || info->si_code <= 0 || info->si_code == SI_KERNEL)
                return CRASH_ACCESS_NONE;
        if (error & CRASH_ERROR_FETCH)
                return CRASH_ACCESS_JUMP;
        if (info->si_signo == SIGSEGV && crash_is_of_stack(address, stack))
                return CRASH_ACCESS_STACK;
        return error & CRASH_ERROR_WRITE ? CRASH_ACCESS_WRITE : CRASH_ACCESS_READ;
}

/* True if the bytes before @address end a call instruction: relative, through memory, or through a register. */
static bool crash_follows_call(uint64_t address) {
        uint8_t code[CRASH_CALL_BYTES];
        const uint8_t *end = code + sizeof code;

        if (crash_read(address - sizeof code, code, sizeof code) != sizeof code)
                return false;
        return end[-5] == 0xe8 || (end[-6] == 0xff && (end[-5] == 0x15 || (end[-5] & 0xf8) == 0x90)) ||
               (end[-3] == 0xff && (end[-2] & 0xf8) == 0x50) || (end[-2] == 0xff && (end[-1] & 0x38) == 0x10);
}

/* Finds the first return address into the module on the stack: most probably its call of the function that crashed. */
static void crash_find_caller(const CrashCodes *codes, uint64_t stack, BlockCrashPlace *ret_place) {
        static uint64_t words[CRASH_SCANNED];
        const size_t n = crash_read(stack, words, sizeof words); /* fewer if the stack ends before */

        for (size_t i = 0; i < n / sizeof *words; i++)
                if (crash_place_is_module(codes, words[i]) && crash_follows_call(words[i])) {
                        crash_place_find(&crash.files, words[i] - 1, ret_place);
                        ret_place->offset += ret_place->found;
                        return;
                }
}

static void crash_note(int number, const siginfo_t *info, const ucontext_t *context) {
        const uint64_t instruction = context->uc_mcontext.gregs[REG_RIP];
        BlockCrash *note = &crash.head->crash;
        static CrashCodes codes;

        memset(note, 0, sizeof *note);
        note->access = crash_access(info, context);
        note->address = note->access == CRASH_ACCESS_NONE ? 0 : (uintptr_t)info->si_addr;
        note->signal = number;
        crash_place_find(&crash.files, instruction, &note->at);
        crash_place_modules(&crash.files, &codes);
        if (!crash_place_is_module(&codes, instruction))
                crash_find_caller(&codes, context->uc_mcontext.gregs[REG_RSP], &note->caller);
}

/*
 * A second crash, in this handler or in another thread, ends the process like the first. A child of the module writes
 * nothing.
 */
static void crash_handle(int number, siginfo_t *info, void *context) {
        int first = 0;

        if (getpid() != crash.pid)
                crash_die(number);
        if (!atomic_compare_exchange_strong(&crash.first, &first, number))
                crash_die(first);
        crash_write_pending();
        crash_note(number, info, context);
        crash_die(number);
}

/* ---- watching */

void crash_add_file(const CrashFile *file) {
        if (crash.files.n < CRASH_FILES_MAX)
                crash.files.files[crash.files.n++] = *file;
}

void crash_watch_thread(void) {
        stack_t stack = { .ss_size = CRASH_STACK_BYTES };

        if (!crash.head)
                return;
        stack.ss_sp = mmap(NULL, CRASH_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                        -1, 0);
        if (stack.ss_sp != MAP_FAILED)
                sigaltstack(&stack, NULL);
}

void crash_watch(BlockHead *head) {
        struct sigaction action = { .sa_sigaction = crash_handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };

        crash.head = head;
        crash.pid = getpid();
        crash_watch_thread();
        sigemptyset(&action.sa_mask);
        for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++)
                sigaction(crash_signals[i], &action, NULL);
}
