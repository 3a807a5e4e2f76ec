int  a;   // first
int b;
