/** What the demonstration works on, by path: a shop whose test fails. */
export const demoProject: Readonly<Record<string, string>> = {
  "package.json": `{ "name": "shop", "type": "module", "private": true }
`,
  "README.md": `# Shop

Prices, in cents. Test it with: node --test
`,
  "src/price.js": `/** What a basket costs, less the discount; never below zero. */
export function total(items, discount = 0) {
  let sum = 0;
  for (const { price, count } of items) sum += price * count;
  return sum + discount;
}
`,
  "test/price.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/price.js";

const basket = [
  { price: 250, count: 2 },
  { price: 99, count: 1 },
];

test("adds up what is in the basket", () => {
  assert.equal(total(basket), 599);
});

test("takes the discount off, down to nothing", () => {
  assert.equal(total(basket, 100), 499);
  assert.equal(total(basket, 1000), 0);
});
`,
};
