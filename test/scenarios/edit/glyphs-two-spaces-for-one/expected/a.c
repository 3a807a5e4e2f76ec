int  a;   // first
int c;
