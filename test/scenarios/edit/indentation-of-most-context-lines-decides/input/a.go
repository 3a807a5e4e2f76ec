package a

void fail(int x);
  void check(int y);
void other(int z);
void last(int q);
