/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The switch between two stacks (context.c), which no compiler may look into.
 *
 * A file of its own for the note at its end: within a C file -fcf-protection would say of it that it keeps to the processor's
 * shadow stack, and its ret returns to where nothing on that stack called from. The linker gives the program what all of
 * its objects have: tracking of indirect branches where the rest was built for it, never a shadow stack.
 */

        .text
        .globl context_switch
        .hidden context_switch
        .type context_switch, @function
        .balign 16
context_switch:
        endbr64
        pushq %rbp
        pushq %rbx
        pushq %r12
        pushq %r13
        pushq %r14
        pushq %r15
        subq $8, %rsp
        stmxcsr (%rsp)
        fnstcw 4(%rsp)
        xchgq %rsp, (%rdi)
        ldmxcsr (%rsp)
        fldcw 4(%rsp)
        addq $8, %rsp
        popq %r15
        popq %r14
        popq %r13
        popq %r12
        popq %rbx
        popq %rbp
        ret
        .size context_switch, . - context_switch

        .section .note.GNU-stack, "", @progbits

        .section .note.gnu.property, "a", @note
        .balign 8
        .long 4, 16, 5 /* lengths of name and description; NT_GNU_PROPERTY_TYPE_0 */
        .asciz "GNU"
        .long 0xc0000002, 4 /* GNU_PROPERTY_X86_FEATURE_1_AND and its length */
        .long 1, 0          /* IBT, not SHSTK; padding */
