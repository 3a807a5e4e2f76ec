package a

void fail(int x);
void added(int a,
    int b);
  void check(int y);
void other(int z);
void last(int q);
