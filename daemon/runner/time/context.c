/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/time/context.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "runner/load/own-memory.h"
#include "util/error.h"

#define PAGE_BYTES  4096u
#define GUARD_BYTES PAGE_BYTES
#define READY_BYTES (256u << 10) /* of the stack, touched before anything runs on it */
#define RED_BYTES   128u         /* below the stack pointer, which a function may use without moving it */

typedef struct ContextThread {
        pthread_t thread;
        sem_t resumed;
        sem_t yielded;
        bool returned;
        bool over;
} ContextThread;

struct Context {
        void *stack_pointer; /* of the context that does not run */
        ContextFunction function;
        void *argument;
        char *mapping; /* NULL: on the thread's own stack, or a thread */
        size_t n_mapping;
        size_t offset_bytes; /* of a context on the thread's own stack */
        bool began;
        ContextThread *thread; /* NULL: on a stack */
};

/* context-switch.S: saves this side's registers on its stack, swaps *@stack_pointer with %rsp, restores the other side's. */
void context_switch(void **stack_pointer) __attribute__((visibility("hidden")));

/* Registers that a fresh stack starts with, as context_switch() pops them. */
typedef struct ContextFrame {
        uint32_t mxcsr;
        uint16_t x87_control;
        uint16_t padding;
        uint64_t r15, r14, r13, r12, rbx, rbp;
        void (*entry)(void);
        uint64_t return_address; /* none: unwinders stop here */
} ContextFrame;

/* The context that this thread runs, for context_enter(), which cannot have an argument. */
static _Thread_local Context *context_running = NULL;

/* The context for which this thread left its own stack: its stack_pointer is where the thread continues. */
static _Thread_local Context *context_aside = NULL;

static void context_enter(void) {
        Context *context = context_running;

        context->function(context->argument);
        for (;;)
                context_yield(context);
}

static void *context_first_frame(char *top, uint32_t mxcsr, uint16_t x87_control) {
        ContextFrame *frame = (ContextFrame *)top - 1;

        *frame = (ContextFrame){ .mxcsr = mxcsr, .x87_control = x87_control, .entry = context_enter };
        return frame;
}

/* Kernels before 5.14 cannot do it, which does no harm. */
static void context_make_ready(char *mapping, size_t n_mapping) {
        size_t n = n_mapping - GUARD_BYTES < READY_BYTES ? n_mapping - GUARD_BYTES : READY_BYTES;

        (void)madvise(mapping + n_mapping - n, n, MADV_POPULATE_WRITE);
}

int context_new(size_t size, size_t offset_bytes, ContextFunction function, void *argument, Context **ret_context) {
        size_t n_mapping = GUARD_BYTES + size + (offset_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        Context *context;
        char *mapping;

        mapping = mmap(NULL, n_mapping, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
                        -1, 0);
        if (mapping == MAP_FAILED)
                return error_origin(-errno);
        context = own_memory_new(sizeof *context);
        if (!context || mprotect(mapping, GUARD_BYTES, PROT_NONE) < 0) {
                munmap(mapping, n_mapping);
                own_memory_free(context, sizeof *context);
                return error_origin(-ENOMEM);
        }

        context_make_ready(mapping, n_mapping);
        *context = (Context){
                .stack_pointer = context_first_frame(mapping + n_mapping - offset_bytes, 0x1f80, 0x037f),
                .function = function,
                .argument = argument,
                .mapping = mapping,
                .n_mapping = n_mapping,
        };
        *ret_context = context;
        return 0;
}

/* ---- a context on the thread's own stack */

int context_step_aside(size_t size, ContextFunction function, void *argument) {
        Context *context;
        int r;

        r = context_new(size, 0, function, argument, &context);
        if (r)
                return error_trace(r);
        context_aside = context;
        context_resume(context);
        context_aside = NULL;
        context_free(context);
        return 0;
}

int context_new_own(size_t offset_bytes, ContextFunction function, void *argument, Context **ret_context) {
        Context *context = own_memory_new(sizeof *context);

        if (!context)
                return error_origin(-ENOMEM);
        *context = (Context){ .function = function, .argument = argument, .offset_bytes = offset_bytes };
        *ret_context = context;
        return 0;
}

/* The kernel lets the first thread's stack grow to any touched address within its limit. */
static void context_touch_below(volatile char *top) {
        size_t n = READY_BYTES;
        struct rlimit limit;

        if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur / 2 < n)
                n = limit.rlim_cur / 2;
        for (size_t below = PAGE_BYTES; below <= n; below += PAGE_BYTES)
                top[-(ptrdiff_t)below] = 0;
}

static void context_begin_own(Context *context) {
        const ContextFrame *left = context_aside->stack_pointer;
        char *top = (char *)((uintptr_t)left - RED_BYTES) - context->offset_bytes;

        top -= (uintptr_t)top % 16;
        context_touch_below(top);
        context->stack_pointer = context_first_frame(top, left->mxcsr, left->x87_control);
        context->began = true;
}

/* ---- a context that is a thread */

static void context_wait(sem_t *semaphore) {
        while (sem_wait(semaphore) < 0 && errno == EINTR)
                ;
}

/* Also called if the function ended the thread itself. */
static void context_thread_end(void *userdata) {
        ContextThread *thread = userdata;

        thread->over = true;
        sem_post(&thread->yielded);
}

static void *context_thread_main(void *userdata) {
        Context *context = userdata;

        context_wait(&context->thread->resumed);
        pthread_cleanup_push(context_thread_end, context->thread);
        context->function(context->argument);
        context->thread->returned = true;
        pthread_cleanup_pop(true);
        return NULL;
}

static int context_thread_start(Context *context, size_t size) {
        pthread_attr_t attributes;
        int error = pthread_attr_init(&attributes);

        if (error)
                return error_origin(-error);
        sem_init(&context->thread->resumed, 0, 0);
        sem_init(&context->thread->yielded, 0, 0);
        error = pthread_attr_setstacksize(&attributes, size);
        if (error == 0)
                error = pthread_create(&context->thread->thread, &attributes, context_thread_main, context);
        pthread_attr_destroy(&attributes);
        return error ? error_origin(-error) : 0;
}

int context_new_thread(size_t size, ContextFunction function, void *argument, Context **ret_context) {
        Context *context = own_memory_new(sizeof *context);
        ContextThread *thread = own_memory_new(sizeof *thread);
        int r = -ENOMEM;

        if (context && thread) {
                *context = (Context){ .function = function, .argument = argument, .thread = thread };
                r = context_thread_start(context, size);
        }
        if (r) {
                own_memory_free(context, sizeof *context);
                own_memory_free(thread, sizeof *thread);
                return error_trace(r);
        }
        *ret_context = context;
        return 0;
}

static void context_thread_free(Context *context) {
        if (!context->thread->over) {
                pthread_detach(context->thread->thread);
                return;
        }
        pthread_join(context->thread->thread, NULL);
        own_memory_free(context->thread, sizeof *context->thread);
        own_memory_free(context, sizeof *context);
}

bool context_is_lost(const Context *context) {
        return context->thread && context->thread->over && !context->thread->returned;
}

/* ---- both */

Context *context_free(Context *context) {
        if (!context)
                return NULL;
        if (context->thread) {
                context_thread_free(context);
                return NULL;
        }
        if (context->mapping)
                munmap(context->mapping, context->n_mapping);
        own_memory_free(context, sizeof *context);
        return NULL;
}

void context_resume(Context *context) {
        if (context->thread && context->thread->over)
                return;
        if (context->thread) {
                sem_post(&context->thread->resumed);
                context_wait(&context->thread->yielded);
                return;
        }
        if (!context->mapping && !context->began)
                context_begin_own(context);
        context_running = context;
        context_switch(&context->stack_pointer);
}

void context_yield(Context *context) {
        if (context->thread) {
                sem_post(&context->thread->yielded);
                context_wait(&context->thread->resumed);
                return;
        }
        context_switch(&context->stack_pointer);
}
