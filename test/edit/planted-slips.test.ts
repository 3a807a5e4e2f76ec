import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { locate } from "../../src/code/smart/locate.ts";
import { ToolError } from "../../src/contract/error.ts";
import { type Source, sourcesOf } from "../../src/edit/source.ts";
import { rounds } from "../support/rounds.ts";
import { Random } from "./random.ts";

const files = ["locate.ts", "slips.ts", "similar-spans.ts", "text-locations.ts", "refusals.ts"].map((name) =>
  readFileSync(new URL(`../../src/code/smart/${name}`, import.meta.url), "utf8"),
);

/** The position that `locate` finds, or the code of its refusal. */
function found(text: string, location: string): number | string {
  const [source] = sourcesOf("a.unknown", Buffer.from(text)) as Generator<Source>;
  try {
    return locate({ path: "a.unknown", source: source!, text, outline: undefined }, location).start;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return error.code;
  }
}

/** One typing error in a text, of the kinds that models and people make. */
const slips: readonly ((text: string, at: number, random: Random) => string)[] = [
  (text, at) => text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2),
  (text, at) => text.slice(0, at) + text.slice(at + 1),
  (text, at) => text.slice(0, at) + text[at] + text.slice(at),
  (text, at, random) => text.slice(0, at) + random.pick([..."aeioustrn"]) + text.slice(at + 1),
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text, at) => text.slice(0, at) + text[at]!.toUpperCase() + text.slice(at + 1),
];

it("a planted typing error never leads to another part of the file, and often to the right one", {
  tags: "slow",
}, () => {
  const random = new Random(7);
  const counts = { right: 0, refused: 0, wrong: [] as string[] };
  const attempts = rounds(400);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const text = random.pick(files);
    const names = [...text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]{7,}(?:\(\w+)?/gu)];
    const { 0: name, index } = random.pick(names);
    const location = random.pick(slips)(name, 1 + random.below(name.length - 2), random);
    if (text.includes(location)) continue;
    const start = found(text, location);
    if (typeof start === "string") counts.refused += 1;
    else if (start === index) counts.right += 1;
    else counts.wrong.push(`${name} → ${location}: ${text.slice(start, start + 30)}`);
  }
  expect({ ...counts, right: counts.right > attempts / 15, refused: counts.refused > attempts / 15 }).toEqual(
    {
      right: true,
      refused: true,
      wrong: [],
    },
  );
});

it("a name that the file lacks is never taken for one that it has", () => {
  const pairs =
    "get_account/set_account max_retries/min_retries user_ids/user_id first_value/last_value read_form/read_from " +
    "is_status_set/is_stats_set request_tracking/request_tracing open_contract/open_contact handlers_of/handles_of " +
    "onExisting/onExiting value_a/value_b amount12/amount21 send_replay/send_reply parse_v1_header/parse_v2_header " +
    "encode_body/decode_body import_all/export_all resolve_path/resolve_patch authorizeUser/authorizeUsers";
  const wrong = pairs.split(" ").flatMap((pair) => {
    const [one, other] = pair.split("/") as [string, string];
    const cases = [
      [one, other],
      [other, one],
    ] as const;
    return cases.filter(
      ([has, lacks]) =>
        !has.includes(lacks) && typeof found(`let a = 1;\nrun(${has}, a);\nlet b = 2;\n`, lacks) === "number",
    );
  });
  expect(wrong).toEqual([]);
});
