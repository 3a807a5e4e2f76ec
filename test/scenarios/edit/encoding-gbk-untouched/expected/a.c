// ฤใบร
long a;
int b;
