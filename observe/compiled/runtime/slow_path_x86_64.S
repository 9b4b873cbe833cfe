# The slow paths of instrumented code, called with the preserve_all convention: every register but the result survives,
# vectors included, because the compiler keeps the program's values in them.
.macro slow_path name, target, has_result
 .text
 .globl \name
 .type \name, @function
\name:
 .cfi_startproc
 push %rbp
 .cfi_def_cfa_offset 16
 .cfi_offset %rbp, -16
 mov %rsp, %rbp
 .cfi_def_cfa_register %rbp
 push %rbx
 push %rcx
 push %rdx
 push %rsi
 push %rdi
 push %r8
 push %r9
 push %r10
 push %r11
 push %rax
 # x87, SSE, AVX and AVX-512 need at most 2688 bytes in the standard form; the header of 64 bytes must be zero.
 sub $2752, %rsp
 and $-64, %rsp
 xor %eax, %eax
 mov %rax, 512(%rsp)
 mov %rax, 520(%rsp)
 mov %rax, 528(%rsp)
 mov %rax, 536(%rsp)
 mov %rax, 544(%rsp)
 mov %rax, 552(%rsp)
 mov %rax, 560(%rsp)
 mov %rax, 568(%rsp)
 mov $0xe7, %eax
 xor %edx, %edx
 xsave64 (%rsp)
 cld
 call \target
 .if \has_result
 mov %rax, -80(%rbp)
 .endif
 mov $0xe7, %eax
 xor %edx, %edx
 xrstor64 (%rsp)
 lea -80(%rbp), %rsp
 pop %rax
 pop %r11
 pop %r10
 pop %r9
 pop %r8
 pop %rdi
 pop %rsi
 pop %rdx
 pop %rcx
 pop %rbx
 pop %rbp
 .cfi_def_cfa %rsp, 8
 ret
 .cfi_endproc
 .size \name, . - \name
.endm

# char *cachescape_new_block(char *next)
 .hidden cachescape_new_block
slow_path cachescape_new_block, cachescape_refill_block, 1
# void cachescape_tick(void)
slow_path cachescape_tick, cachescape_accesses_over, 0

# char *cachescape_refill(char *next), with the same convention. Where the block is in pieces and has room, the piece
# ends and the next one begins, with the registers that this needs: it happens at every record of an exact order.
# A ticket is taken by a locked instruction, which is also what makes it later than all that the thread has seen.
 .text
 .globl cachescape_refill
 .type cachescape_refill, @function
cachescape_refill:
 .cfi_startproc
 mov cachescape_limit@gottpoff(%rip), %rax
 cmp %fs:(%rax), %rdi
 jae cachescape_new_block
 push %rcx
 .cfi_def_cfa_offset 16
 mov cachescape_piece@gottpoff(%rip), %rax
 mov %fs:(%rax), %rcx
 mov %rdi, %fs:(%rax)
 lea -16(%rdi), %rax
 sub %rcx, %rax
 mov %rax, 8(%rcx)
 mov cachescape_tickets@gottpoff(%rip), %rax
 mov %fs:(%rax), %rcx
 mov $1, %eax
 lock xadd %rax, (%rcx)
 inc %rax
 mov %rax, (%rdi)
 mov cachescape_piece_bytes@gottpoff(%rip), %rax
 mov %fs:(%rax), %rcx
 lea 16(%rdi,%rcx), %rcx
 mov cachescape_end@gottpoff(%rip), %rax
 mov %rcx, %fs:(%rax)
 lea 16(%rdi), %rax
 pop %rcx
 .cfi_def_cfa_offset 8
 ret
 .cfi_endproc
 .size cachescape_refill, . - cachescape_refill

# struct cachescape_context *cachescape_context_of(struct cachescape_context *parent, const struct cachescape_function *)
# Most are found by code that uses no vectors; the others are made.
slow_path cachescape_made_context, cachescape_make_context, 1
 .hidden cachescape_made_context
 .globl cachescape_context_of
 .type cachescape_context_of, @function
cachescape_context_of:
 .cfi_startproc
 push %rbp
 .cfi_def_cfa_offset 16
 .cfi_offset %rbp, -16
 mov %rsp, %rbp
 .cfi_def_cfa_register %rbp
 push %rcx
 push %rdx
 push %rsi
 push %rdi
 push %r8
 push %r9
 push %r10
 push %r11
 cld
 call cachescape_find_context
 test %rax, %rax
 pop %r11
 pop %r10
 pop %r9
 pop %r8
 pop %rdi
 pop %rsi
 pop %rdx
 pop %rcx
 pop %rbp
 .cfi_def_cfa %rsp, 8
 jz cachescape_made_context
 ret
 .cfi_endproc
 .size cachescape_context_of, . - cachescape_context_of

 .section .note.GNU-stack, "", @progbits
