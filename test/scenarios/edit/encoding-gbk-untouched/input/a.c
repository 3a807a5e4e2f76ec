// ÄãºÃ
int a;
int b;
