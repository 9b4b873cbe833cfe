# char *cachescape_refill(char *next): the slow path of instrumented code, called with the preserve_all convention:
# every register but the result survives, vectors included, because the compiler keeps the program's values in them.
 .text
 .globl cachescape_refill
 .type cachescape_refill, @function
cachescape_refill:
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
 call cachescape_refill_block
 mov %rax, %rbx
 mov $0xe7, %eax
 xor %edx, %edx
 xrstor64 (%rsp)
 mov %rbx, %rax
 lea -72(%rbp), %rsp
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
 .size cachescape_refill, . - cachescape_refill
 .section .note.GNU-stack, "", @progbits
