export class A {
  _cached: {
    shape: T;
  };
  get(): B {
    return 1;
  }
}
