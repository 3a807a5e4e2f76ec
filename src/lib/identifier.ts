/** Creates a name such as `call_m9x2k4…` that sorts by time and is unique across processes. It is not a secret. */
export function newIdentifier(prefix: string): string {
  counter = (counter + 1) % 1296;
  const time = Date.now().toString(36).padStart(9, "0");
  const order = counter.toString(36).padStart(2, "0");
  const random = Math.floor(Math.random() * 36 ** 6).toString(36);
  return `${prefix}_${time}${order}${random.padStart(6, "0")}`;
}

let counter = 0;
