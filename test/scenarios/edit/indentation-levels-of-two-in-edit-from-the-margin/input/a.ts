export class A {
  private _cached;
  get(): B {
    return 1;
  }
}
