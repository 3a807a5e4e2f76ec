/** Numbers that grow in number; emptied and filled again and again without new memory. */
export class NumberList {
  numbers: Uint32Array = new Uint32Array(1024);
  length = 0;

  push(number: number): void {
    if (this.length === this.numbers.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[this.length++] = number;
  }
}
