
int total(int n, ...);
int total(int n, ...)
{
    __builtin_va_list rest;
    int sum = 0;
    __builtin_va_start(rest, n);
    while (n-- > 0) { sum += (int)__builtin_va_arg(rest, double); }
    __builtin_va_end(rest);
    return sum;
}
