import { afterAll, describe, expect, it } from "vitest";
import { codeFixture } from "../../../test/support/code-fixture.ts";
import { ToolError } from "../../contract/error.ts";
import { type Source, sourcesOf } from "../../edit/source.ts";
import { locate } from "./locate.ts";

const opened = codeFixture();
afterAll(() => opened[Symbol.asyncDispose]());

const rust = `/// A ticket that was sold.
pub struct Ticket {
    pub seat: u32,
}

impl Ticket {
    /// Checks the signature against the public key.
    pub fn verify(&self, key: &Key) -> bool {
        key.matches(&self.signature)
    }

    pub fn seat(&self) -> u32 {
        self.seat
    }
}

impl Display for Ticket {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "seat {} in line 3", self.seat)
    }
}

/// Prints every ticket of a day.
fn print_all(day: &Day) {
    for ticket in day.tickets() {
        println!("{}", ticket.verify(&day.key));
    }
}
`;

const python = `class Store:
    def load(self, name):
        return self.items[name]

    def save(self, name, item):
        self.items[name] = item


class Cache(Store):
    def load(self, name):
        # See Store.save and Cache.load.
        return super().load(name)


def main():
    Store.save(Store(), "a", 1)
`;

const texts: Readonly<Record<string, string>> = {
  "ticket.rs": rust,
  "store.py": python,
  "page.md": "# Guide\n\nIntro.\n\n## Install\n\nRun it.\n\n## Use\n\nUse it.\n",
  "twice.unknown": "total = price * amount\nother\ntotal = price + amount\n",
  "server.go":
    "package a\n\ntype Server struct{}\n\nfunc (s *Server) Run() {\n}\n\nfunc (c *Client) Run() {\n}\n",
  "store.rb": "class Store\n  def self.open\n  end\nend\n",
  "store.toml": '[package]\nname = "x"\n\n[dependencies]\n',
  "lock.rs":
    "/// Locks the mutex, blocking the current thread until it is available.\nfn lock(&self) {}\n" +
    "/// Attempts to lock the mutex without blocking.\nfn try_lock(&self) {}\n" +
    "/// Tells how many wait.\nfn waiters(&self) {}\n",
  "cache.ts":
    "/** Empties the cache of all entries that have expired. */\nexport function sweep(): void {}\n\n" +
    "export function drop(cache: Cache): void {\n  cache.entries.clear();\n}\n\nexport function size(): number {\n  return 1;\n}\n",
  "case.py":
    'def camelize(word):\n    """Convert the word to camel case."""\n\n\ndef underscore(word):\n    """Make the word lower case, with _."""\n',
  "shape.py":
    'def circle_area(radius):\n    """Compute the area of the circle."""\n\n\nclass Circle:\n    def size(self):\n        return 1\n',
  "login.ts":
    "/** Handles authentication. */\nexport function login(user: string) {}\n\n/** Handles authorization. */\nexport function allow(user: string) {}\n",
  "near.rs":
    "fn delete_users(id: u64) {\n    let timeout_seconds = 3000;\n    assert_true(value_of_thing);\n    if first_value > second_value {\n    }\n}\n",
  "pairs.unknown": "total = (price, amount)\nother\ntotal = [price, amount]\n",
  "often.unknown": "again and again\n".repeat(1_000),
  "payment.rs":
    "pub fn process_payment_request(order: &Order) -> Receipt {\n    let status_of_order = charge(order);\n    receipt(status_of_order)\n}\n\n" +
    "fn refund_payment(order: &Order) {\n    let AmountLeft = 1; let amount_back = AmountLeft;\n}\n",
  "tracked.rs":
    "fn tracking_of(order: u32) { start_catching(order); read_from_ledger(order); }\nfn find_user_ids() { list_handlers_of(1); refund_amount2(2); }\n",
  "auth.rs":
    "pub struct AuthError;\n\n/// Checks the name and the password.\npub fn authenticate_user(name: &str, password: &str) -> Result<User, AuthError> {\n    find(name)\n}\n\n" +
    "pub fn validate_token(token: &str) -> Result<Claims, AuthError> {\n    decode(token)\n}\n\nfn handle_request(request: Request) -> Response {\n    route(request)\n}\n",
  "both.rs":
    "fn authenticate_user(name: &str) {}\n\nfn authenticate_service(key: &str) {}\n\nfn handle_request(request: Request) {}\n",
  "handler.rs":
    "fn authenticate_user(name: &str) {}\n\nfn handle_auth_request(request: Request) {}\n\nfn log() {}\n",
  "plain.unknown": "alpha beta\ngamma delta\nepsilon\n",
};

async function found(path: string, location: string): Promise<string> {
  const text = texts[path]!;
  const [source] = sourcesOf(path, Buffer.from(text)) as Generator<Source>;
  const outline = path.endsWith(".unknown")
    ? undefined
    : await opened.context.code.outline({ path, text }, { signal: opened.context.signal });
  try {
    const located = locate({ path, source: source!, text, outline }, location);
    const lines =
      located.firstLine === located.lastLine ? located.firstLine : `${located.firstLine}-${located.lastLine}`;
    return `${located.way} ${lines}`;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return `${error.code}: ${error.message} ${error.hint}`;
  }
}

describe("a location is", () => {
  it.each([
    // Line numbers.
    ["ticket.rs", "line 2", "line numbers 2"],
    ["ticket.rs", "at line 2", "line numbers 2"],
    ["ticket.rs", "on line 2", "line numbers 2"],
    ["ticket.rs", "line: 2", "line numbers 2"],
    ["ticket.rs", "lines: 2-4", "line numbers 2-4"],
    ["ticket.rs", "lines 2-4", "line numbers 2-4"],
    ["ticket.rs", "Lines 2 to 4", "line numbers 2-4"],
    ["ticket.rs", "2-4", "line numbers 2-4"],
    ["ticket.rs", "L2-L4", "line numbers 2-4"],
    ["ticket.rs", "28", "line numbers 28"],
    ["plain.unknown", "line 3", "line numbers 3"],
    // Symbols, by any keyword.
    ["ticket.rs", "fn verify", "symbol 7-10"],
    ["ticket.rs", "pub fn verify", "symbol 7-10"],
    ["ticket.rs", "method verify", "symbol 7-10"],
    ["ticket.rs", "the function `print_all`", "symbol 23-28"],
    ["ticket.rs", "print_all function", "symbol 23-28"],
    ["ticket.rs", "struct Ticket", "symbol 1-4"],
    ["ticket.rs", "impl Ticket", "symbol 6-15"],
    ["ticket.rs", "impl Display for Ticket", "symbol 17-21"],
    ["ticket.rs", "fn fmt in impl Display for Ticket", "symbol 18-20"],
    ["ticket.rs", "Ticket::verify", "symbol 7-10"],
    ["ticket.rs", "field seat", "symbol 3"],
    ["ticket.rs", "fn seat", "symbol 12-14"],
    ["ticket.rs", "fn print_all()", "symbol 23-28"],
    ["store.py", "class Store", "symbol 1-6"],
    ["store.py", "class Cache.load", "symbol 10-12"],
    ["store.py", "method load of class Store", "symbol 2-3"],
    ["store.py", "def main", "symbol 15-16"],
    ["page.md", "section Install", "symbol 5-7"],
    ["server.go", "func Server.Run", "symbol 5-6"],
    ["server.go", "Server.Run", "symbol 5-6"],
    ["store.rb", "def self.open", "symbol 2-3"],
    ["store.toml", "section package", "symbol 1-2"],
    // Text, exact and with typing errors.
    ["ticket.rs", "key.matches(&self.signature)", "text 9"],
    ["ticket.rs", "for ticket in day.tickets() {\n        println", "text 25-26"],
    [
      "ticket.rs",
      'for ticket in day.tickets() {\nprintln!("{}", ticket.verify(&day.key));',
      "tolerant text 25-26",
    ],
    ["ticket.rs", "“seat {} in line 3”", "tolerant text 19"],
    ["page.md", "## Install", "text 5"],
    ["plain.unknown", "alpha", "text 1"],
    ["plain.unknown", "gamma  delta", "tolerant text 2"],
    // A description of what it does.
    ["ticket.rs", "the function that checks signatures", "description 7-10"],
    ["ticket.rs", "prints all tickets of the day", "description 23-28"],
    // Similar text.
    ["ticket.rs", "key.matches(self.signature)", "similar text 9"],
    [
      "ticket.rs",
      'for tikcet in day.tickets() {\n        println!("{}", tickt.verify(day.key));',
      "similar text 25-26",
    ],
    ["payment.rs", "process_paymnet_request", "similar text 1"],
    ["payment.rs", "Process_Payment_Request", "similar text 1"],
    ["payment.rs", "process_paymnet_request(order: &Order)", "similar text 1"],
    ["payment.rs", "let Amount_Back = AmountLeft", "similar text 7"],
    ["payment.rs", "fn process_paymnet_request", "similar text 1-4"],
    ["payment.rs", "the function `refund_paymet`", "similar text 6-8"],
    ["auth.rs", "the function that handles authentication", "description 3-6"],
    ["login.ts", "the function that handles authentication", "description 1-2"],
    ["auth.rs", "function responsible for authentication", "description 3-6"],
    ["auth.rs", "the function that handles requests", "description 12-14"],
  ])("%s: %s → %s", async (path, location, expected) => {
    expect(await found(path, location)).toBe(expected);
  });
});

describe("a location is refused", () => {
  const lines = 'or its lines, such as "lines 10-20".';

  it.each([
    [
      "text that occurs often",
      "ticket.rs",
      "self.seat",
      'ambiguous-match: ticket.rs: the location "self.seat" matches 2 locations:\n  line 13: text: "self.seat"\n' +
        `  line 19: text: "write!(f, "seat {} in line 3", self.seat)" Nothing was written. Give more of the text, with a neighbouring line, ${lines}`,
    ],
    [
      "numbers that are also text in the file",
      "ticket.rs",
      "line 3",
      'ambiguous-match: ticket.rs: the location "line 3" can be read in 2 ways, and matches 2 locations:\n' +
        '  line 3: line numbers: "pub seat: u32,"\n  line 19: text: "write!(f, "seat {} in line 3", self.seat)"' +
        ` Nothing was written. Give more of the text, with a neighbouring line, ${lines}`,
    ],
    [
      "a symbol path that is also text elsewhere",
      "store.py",
      "Store.save",
      'ambiguous-match: store.py: the location "Store.save" can be read in 2 ways, and matches 3 locations:\n' +
        "  lines 5-6: Method save [5-6] in Class Store\n" +
        '  line 11: text: "# See Store.save and Cache.load."\n  line 16: text: "Store.save(Store(), "a", 1)"' +
        ` Nothing was written. Give more of the text, with a neighbouring line, or the name of the block, such as "method Foo.run", ${lines}`,
    ],
    [
      "a name of two symbols",
      "store.py",
      "def load",
      'ambiguous-match: store.py: the location "def load" matches 2 locations:\n' +
        "  lines 2-3: Method load [2-3] in Class Store\n  lines 10-12: Method load [10-12] in Class Cache" +
        ` Nothing was written. Give the name of the block, such as "method Foo.run", ${lines}`,
    ],
    [
      "a signature that is also text",
      "store.py",
      "def main()",
      'ambiguous-match: store.py: the location "def main()" can be read in 2 ways, and matches 2 locations:\n' +
        '  lines 15-16: Function main [15-16]\n  line 15: text: "def main():"' +
        ` Nothing was written. Give more of the text, with a neighbouring line, or the name of the block, such as "method Foo.run", ${lines}`,
    ],
    [
      "a missing symbol that is part of another name",
      "ticket.rs",
      "fn print",
      "no-match: ticket.rs has no fn `print` Did you mean Function print_all [23-28]? List the symbols with code.symbols.",
    ],
    [
      "a description without a match",
      "ticket.rs",
      "the function that sorts numbers",
      'no-match: ticket.rs: the location "the function that sorts numbers" was not found Nothing was written. ' +
        'Give text of the file, "lines 10-20", or a symbol such as "function run".',
    ],
    [
      "lines beyond the end",
      "plain.unknown",
      "lines 3-9",
      'no-match: plain.unknown has no "lines 3-9": the last is line 3 Nothing was written. Read the file again for its line numbers.',
    ],
    [
      "a reversed range",
      "plain.unknown",
      "lines 3-2",
      'no-match: plain.unknown has no "lines 3-2": the range is reversed Nothing was written. Read the file again for its line numbers.',
    ],
    [
      "a symbol in a file without a grammar",
      "plain.unknown",
      "function alpha",
      'no-match: plain.unknown: the location "function alpha" was not found Nothing was written. Symbols are not available: there is no grammar for this file. Give text of the file, "lines 10-20".',
    ],
  ])("when it is %s", async (_, path, location, expected) => {
    expect(await found(path, location)).toBe(expected);
  });

  it("when several descriptions match about equally, with their scores", async () => {
    const outcome = await found("store.py", "load the items by name");
    expect(outcome.replace(/0\.\d\d/g, "#")).toBe(
      'ambiguous-match: store.py: the location "load the items by name" matches 2 locations:\n' +
        "  lines 2-3: Method load [2-3] in Class Store, score #\n" +
        "  lines 10-12: Method load [10-12] in Class Cache, score #" +
        ` Nothing was written. Give the name of the block, such as "method Foo.run", ${lines}`,
    );
  });

  it("when the text occurs very often, with only some of the locations", async () => {
    const [outcome] = (await found("often.unknown", "again")).split("\n");
    expect(outcome).toBe(
      'ambiguous-match: often.unknown: the location "again" matches 100 locations or more:',
    );
  });

  it.each([
    ["lock.rs", "the function that locks the mutex and does not block the thread"],
    ["lock.rs", "function to lock without blocking the thread"],
    ["lock.rs", "locks the mutex but doesn't block the current thread"],
    ["case.py", "the function that turns camel case into snake case"],
    ["shape.py", "the method that computes the area of the circle"],
    ["near.rs", "let timeout_seconds = 5000;"],
    ["near.rs", "let timeout_minutes = 3000;"],
    ["near.rs", "assert_false(value_of_thing);"],
    ["near.rs", "if first_value < second_value {"],
    ["near.rs", "fn delete_user(id: u64) {"],
    ["twice.unknown", "total = price / amount"],
    ["payment.rs", "process_payment_requests"],
    ["payment.rs", "process_paymemt_request"],
    ["payment.rs", "process_payments_request"],
    ["tracked.rs", "start_caching"],
    ["tracked.rs", "read_form_ledger"],
    ["tracked.rs", "list_handles_of"],
    ["tracked.rs", "refund_amount3"],
  ])("when there is only something similar, which is shown: %s: %s", async (path, location) => {
    const [outcome] = (await found(path, location)).split("\n");
    expect(outcome).toBe(`no-match: ${path}: the location "${location}" was not found. The nearest:`);
  });

  it("when it is long and not a description, at once", async () => {
    const [outcome] = (await found("ticket.rs", `${"Checks it. ".repeat(60)}(`)).split("\n");
    expect(outcome).toMatch(/^no-match: /);
  });

  it.each(["3:12", "line 3:12", "L3:2", "lines 3 and 12", "lines 3, 5, and 12", "3,12", "3:12:"])(
    "when its numbers are not a line range: %s",
    async (location) => {
      expect(await found("ticket.rs", location)).toBe(
        `ambiguous-match: ticket.rs: the location "${location}" may be a line and a column, or several lines ` +
          'Nothing was written. Give one line, "line 3", or a range, "lines 3-12".',
      );
    },
  );

  it.each([
    ["payment.rs", "STATUS_OF_ORDER", "ambiguous-match: 2, 3"],
    ["payment.rs", "amountleft", "ambiguous-match: 7, 7"],
    ["both.rs", "the function that handles authentication", "ambiguous-match: 1, 3"],
    ["cache.ts", "the function that empties the cache of entries", "ambiguous-match: 1, 4"],
    ["handler.rs", "the function that handles authentication", "ambiguous-match: 3, 1"],
  ])("when two are near, which are named: %s: %s", async (path, location, expected) => {
    const [head = "", ...lines] = (await found(path, location)).split("\n");
    const numbers = lines.map((line) => /^ +lines? (\d+)/.exec(line)?.[1]);
    expect(`${head.split(":")[0]}: ${numbers.join(", ")}`).toBe(expected);
  });

  it("when several lines are equally similar, with their scores", async () => {
    expect(await found("pairs.unknown", "total = {price, amount}")).toBe(
      'ambiguous-match: pairs.unknown: the location "total = {price, amount}" matches 2 locations:\n' +
        '  line 1: similar text: "total = (price, amount)", score 0.84\n' +
        '  line 3: similar text: "total = [price, amount]", score 0.84' +
        ` Nothing was written. ${lines.replace("or its", "Give its")}`,
    );
  });
});
