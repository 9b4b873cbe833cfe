/* So that a main() that is renamed to program() has one name in C and C++. */
#ifdef __cplusplus
extern "C"
#endif
    int
    program(int, char**);
