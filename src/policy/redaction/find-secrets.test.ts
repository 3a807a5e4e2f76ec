import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomLetters } from "../../../test/support/policy/random-letters.ts";
import { findSecrets } from "../../lib/secrets/find-secrets.ts";
import { keyShapes, tokenKind } from "../../lib/secrets/key-shapes.ts";
import { redactText } from "./redact.ts";

const random = randomLetters();
const letters = "[A-Za-z0-9]";
const hex = "[0-9a-f]";

describe("keys with a recognizable shape", () => {
  const keys: Readonly<Record<string, readonly string[]>> = {
    "AWS key": [`AKIA${random("[A-Z2-7]", 16)}`, `ASIA${random("[A-Z2-7]", 16)}`],
    "GitHub token": [
      ...["p", "o", "u", "s", "r"].map((kind) => `gh${kind}_${random(letters, 36)}`),
      `github_pat_${random(letters, 22)}_${random(letters, 59)}`,
    ],
    "GitLab token": [`glpat-${random(letters, 20)}`, `glpat-${random(letters, 27)}.01.${random(hex, 9)}`],
    "Slack token": [`xoxb-${random("[0-9]", 12)}-${random(letters, 24)}`, `xapp-1-A0${random(letters, 40)}`],
    "Stripe key": [`sk_live_${random(letters, 24)}`, `rk_live_${random(letters, 24)}`],
    "OpenAI key": [
      `sk-proj-${random(letters, 48)}`,
      `sk-${random(letters, 20)}T3BlbkFJ${random(letters, 20)}`,
      `sk-${random(hex, 32)}`,
    ],
    "Anthropic key": [`sk-ant-api03-${random(letters, 80)}`],
    "Google key": [`AIza${random(letters, 35)}`, `ya29.${random(letters, 60)}`],
    "npm token": [`npm_${random(letters, 36)}`],
    "PyPI token": [`pypi-AgEIcHlwaS5vcmc${random(letters, 60)}`],
    "Hugging Face token": [`hf_${random(letters, 34)}`],
    "SendGrid key": [`SG.${random(letters, 22)}.${random(letters, 43)}`],
    "Twilio key": [`SK${random(hex, 32)}`],
    "Telegram token": [`AA${random(letters, 33)}`],
    "Discord token": [`MT${random(letters, 22)}.${random(letters, 6)}.${random(letters, 27)}`],
    "Atlassian token": [`ATATT3${random("[A-Za-z0-9_=-]", 185)}A`],
    "Figma token": [`figd_${random(letters, 40)}`],
    "Doppler token": [`dp.pt.${random(letters, 43)}`, `dp.st.prd.${random(letters, 43)}`],
    "Pulumi token": [`pul-${random(hex, 40)}`],
  };
  for (const [kind, all] of Object.entries(keys)) {
    it(`finds a ${kind} at any position`, () => {
      for (const key of all) {
        const before = kind === "Telegram token" ? "bot123456789:" : "";
        for (const [left, right] of surroundings) {
          const text = left + before + key + right;
          expect(redactText(text)).toBe(`${left}${before}[redacted: ${kind}]${right}`);
        }
      }
    });
  }

  it("hides the signature of a JSON Web Token, and shows what it says", () => {
    const claims = `eyJ${random(letters, 33)}.eyJ${random(letters, 60)}`;
    const signature = random(letters, 43);
    for (const [left, right] of [
      ...surroundings,
      ['const token = "', '";'],
      ["Authorization: Bearer ", ""],
    ] as const) {
      expect(redactText(`${left}${claims}.${signature}${right}`)).toBe(
        `${left}${claims}.[redacted: JSON Web Token]${right}`,
      );
      expect(redactText(`${left}${claims}.${right}`)).toBe(`${left}${claims}.${right}`);
    }
  });

  const surroundings: readonly (readonly [string, string])[] = [
    ["", ""],
    ["use ", " for it"],
    ['{"a": "', '"}'],
    ["https://x.dev/?a=", "&b=1"],
    [`${"some words before it ".repeat(10)}\n12 | `, `\n${"and after it ".repeat(10)}`],
    ["x-", "/"],
  ];

  it("includes the secret next to an AWS key", () => {
    const [key, secret] = [`AKIA${random("[A-Z2-7]", 16)}`, `aB3/${random("[A-Za-z0-9/+]", 36)}`];
    expect(redactText(`${key},${secret}\n${random(hex, 40)}`)).toMatch(
      /^\[redacted: AWS key\],\[redacted: AWS key\]\n[0-9a-f]{40}$/,
    );
  });
});

const generable = keyShapes.filter(([kind, shape]) => kind !== tokenKind && !shape.includes("(?<="));

it.each(generable)("finds a %s of the shape %s in a sentence", (kind, shape) => {
  // Without lookaheads, which cannot be generated, and without signs that real keys rarely have.
  const usual = shape
    .replace(/\(\?=[^)]*\)/g, "[0-9]")
    .replace(/\[[^\]]*(?:\\w|\+)[^\]]*\]|\\w/g, "[A-Za-z0-9]");
  const made = fc.sample(fc.stringMatching(new RegExp(`^(?:${usual})$`)), { numRuns: 20, seed: 1 });
  const keys = made.filter((key) => new Set(key).size >= 12 && !/(.)\1{5}/.test(key));
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.map((key) => redactText(`use ${key} for it`))).toEqual(
    keys.map(() => `use [redacted: ${kind}] for it`),
  );
});

describe("values that are secret by their name", () => {
  const value = `q7${random(letters, 22)}`;
  const named: readonly (readonly [text: string, kind: string])[] = [
    [`API_KEY=${value}`, "key"],
    [`export AWS_SECRET_ACCESS_KEY="${value}"`, "key"],
    [`"client_secret": "${value}",`, "secret"],
    [`\\"client_secret\\": \\"${value}\\",`, "secret"],
    [`clientSecret := "${value}"`, "secret"],
    [`'auth_token' => '${value}',`, "token"],
    [`//registry.npmjs.org/:_authToken=${value}`, "token"],
    [`access_token: ${value}`, "token"],
    [`?token=${value}&page=2`, "token"],
    [`deploy --api-key ${value}`, "key"],
    [`login --user ada --password "${value}"`, "password"],
    [`const password = \`${value}\`;`, "password"],
    [`curl -H "Authorization: Bearer ${value}"`, "bearer token"],
    [`authorization: 'Basic ${value}=='`, "bearer token"],
  ];
  for (const [text, kind] of named) {
    it(`redacts the value in ${text.replace(value, "…")}`, () => {
      expect(redactText(text)).toBe(
        text.replace(/q7[A-Za-z0-9]+=?=?(?=["'`&\\,;]|$)/, `[redacted: ${kind}]`),
      );
    });
  }

  it("finds passwords by their characters, and in URLs by their position", () => {
    expect(redactText("DB_PASSWORD=Winter2024!\npostgres://app:Xk4-hello@db:5432/x")).toBe(
      "DB_PASSWORD=[redacted: password]\npostgres://app:[redacted: password in a URL]@db:5432/x",
    );
  });

  it("redacts an unquoted password whole, with any characters", () => {
    const mark = "[redacted: password]";
    const texts: readonly (readonly [text: string, redacted: string])[] = [
      ["password: Tr0ub4dor&3xK7mQ", `password: ${mark}`],
      ["password: Tr0&ub4dor|3xK7mQ, and more", `password: ${mark}, and more`],
      ["DB_PASSWORD=Winter2024!,;x(y)z}9\n", `DB_PASSWORD=${mark}\n`],
      ["{pwd: Winter2024!}", `{pwd: ${mark}}`],
      ["<p>password: Winter2024!</p>", `<p>password: ${mark}</p>`],
      ["Server=db;Password=Winter&2024;User Id=sa;", `Server=db;Password=${mark};User Id=sa;`],
      ["/login?password=Winter2024!&page=2", `/login?password=${mark}&page=2`],
      ["login --password Winter2024!&x7 --user ada", `login --password ${mark} --user ada`],
    ];
    expect(texts.map(([text]) => redactText(text))).toEqual(texts.map(([, redacted]) => redacted));
  });

  const harmless = [
    "password: string;",
    "if(password=a1b2&&c3d4||e5f6)return",
    "password:a1|b2,token:c3&d4",
    "const password = getPassword();",
    "const token = tokens[0];",
    "token: Uint8Array,",
    "token = options.auth.token2",
    "this.token = this.#tokens.get(id2)",
    "PASSWORD=$DB_PASSWORD1",
    `PASSWORD=\${DB_PASSWORD1}`,
    'password: "{{ .Values.password1 }}"',
    "password: <your-password-1>",
    "API_KEY=your-api-key-goes-here-1",
    "API_KEY=xxxxxxxxxxxxxxxxxxxxx1",
    "api_key = process.env.API_KEY1",
    'secret: "changeme123!"',
    "password: '********'",
    '"password": "Passwort1"',
    "max_tokens: 4096, tokens: 1234567890123456",
    "token: '#password-input-1'",
    'password_hash: "5f4dcc3b5aa765d61d8327deb882cf99"',
    "cache_key: 5f4dcc3b5aa765d61d8327deb882cf99",
    "postgres://postgres:postgres@localhost/x https://user:password@host https://a:b@example.com",
    "Authorization: Bearer <token>",
    "deploy --api-key $API_KEY1 --token-file /run/x1y2z3 --password",
    `Authorization: Bearer \${token}`,
    "SECRET_PATH=/run/secrets/db_password_1",
    "token == q7aK2mX9pL4vR8sT1wZ6",
  ];
  it("leaves look-alikes alone", () => {
    expect(harmless.map((text) => redactText(text))).toEqual(harmless);
  });
});

describe("private keys", () => {
  const lines = Array.from({ length: 4 }, () => random("[A-Za-z0-9+/]", 64));
  const body = [...lines, "aBc="];
  const [first, last] = ["-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"];
  const mark = "[redacted: private key]";

  it("keeps the first and the last line, and the number of lines", () => {
    expect(redactText([first, ...body, last, "after it"].join("\n"))).toBe(
      [first, ...body.map(() => mark), last, "after it"].join("\n"),
    );
  });

  it("keeps line prefixes and the encryption headers of the key", () => {
    const numbered = (all: readonly string[]) =>
      all.map((line, index) => `${index + 1} | ${line}`).join("\n");
    const header = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-256-CBC,0A1B", ""];
    expect(redactText(numbered([first, ...header, ...body, last]))).toBe(
      numbered([first, ...header, ...body.map(() => mark), last]),
    );
  });

  it("finds a key whose end or beginning is missing", () => {
    const cut = [first, ...lines, "aB"].join("\n");
    expect(redactText(cut)).toBe([first, ...lines.map(() => mark), mark].join("\n"));
    expect(redactText(["x = 1", ...body, last].join("\n"))).toBe(
      ["x = 1", ...body.map(() => mark), last].join("\n"),
    );
  });

  it("finds a key on one line, and counts each key once", () => {
    const text = `{"private_key": "${first}\\n${lines.join("\\n")}\\n${last}\\n"}\n${[first, ...body, last].join("\n")}`;
    const kinds: string[] = [];
    expect(redactText(text, (kind) => kinds.push(kind))).toBe(
      `{"private_key": "${first}${mark}${last}\\n"}\n${[first, ...body.map(() => mark), last].join("\n")}`,
    );
    expect(kinds).toEqual(["private key", "private key"]);
  });

  it("handles endless lines of any content", () => {
    const endless = ["n", "A", "=", "!"].map((letter) => `${letter.repeat(200_000)}_`);
    const text = [first, ...endless, last].join("\n");
    expect(redactText(text)).toBe(text);
  });

  it("leaves code alone that only mentions keys", () => {
    const code = `if (text.includes("${first}"))\n  return parse(text);\n// ${last}\n`;
    expect(redactText(code)).toBe(code);
  });
});

it("finds a long value by its beginning, and redacts all of it", () => {
  const value = random(letters, 1500);
  expect(redactText(`api_key=${value} and more`)).toBe("api_key=[redacted: key] and more");
  const allNames = redactText("1token:eyJ".repeat(50_000));
  expect(allNames.slice(0, 25)).toBe("1token:[redacted: token]n");
});

it("hides a long key with eight equal letters, as base64 has them where bytes are zero", () => {
  const key = (length: number) => `sk-ant-api03-${random(letters, length)}AAAAAAAA${random(letters, length)}`;
  const [short, long] = [key(20), key(40)];
  expect([redactText(short), redactText(long)]).toEqual([short, "[redacted: Anthropic key]"]);
});

it("hides all of a long key that begins near the border of two parts", () => {
  const before = "a ".repeat(64 * 1024 - 10);
  expect(redactText(`${before}hvs.${random(letters, 6000)} b`)).toBe(`${before}[redacted: Vault token] b`);
});

it("leaves hashes, identifiers, images and examples alone", () => {
  const harmless = [
    random(hex, 40),
    `sha512-${random("[A-Za-z0-9+/]", 86)}==`,
    "550e8400-e29b-41d4-a716-446655440000",
    `data:image/png;base64,${random("[A-Za-z0-9+/]", 400)}`,
    "AKIAIOSFODNN7EXAMPLE",
    `ghp_${"x".repeat(36)}`,
    "sk-circle-fade-dot-with-many-more-words",
    "some_very_long_identifier_with_many_parts.and_another_long_one",
    "-".repeat(100),
  ];
  expect(harmless.map((text) => redactText(text))).toEqual(harmless);
});

it("finds nothing in text that is already redacted", () => {
  const text = `password=Winter2024!\ntoken: "${random(letters, 30)}9a1b"\nghp_${random(letters, 36)}`;
  expect(findSecrets(text)).toHaveLength(3);
  expect(findSecrets(redactText(text))).toEqual([]);
});

/** Lines of settings and code, as they name a secret. */
const assignments = (name: string, value: string): readonly string[] => [
  `${name}=${value}`,
  `export ${name}="${value}"`,
  `${name}: ${value}`,
  `"${name}": "${value}",`,
  `const ${name} = '${value}';`,
];

describe("random secrets", () => {
  const names = [
    "API_KEY",
    "authToken",
    "client_secret",
    "DB_PASSWORD",
    "access_key",
    "token",
    "PRIVATE_KEY",
    "refreshToken",
  ];
  const makers: Readonly<Record<string, () => readonly [string, ...string[]]>> = {
    "16 lower-case letters": () => [random("[a-z]", 16)],
    "32 hexadecimal digits": () => [random(hex, 32)],
    digits: () => [random("[0-9]", 18)],
    "24 letters and digits": () => [random(letters, 24)],
    UUID: () => [[8, 4, 4, 4, 12].map((length) => random(hex, length)).join("-")],
    Atlassian: () => [`ATATT3${random("[A-Za-z0-9_=-]", 186)}`],
    Figma: () => [`figd_${random("[\\w-]", 40)}`],
    "Discord secret": () => [random("[\\w-]", 32)],
    "Discord bot": () => [`MTE${random(letters, 21)}.${random("[\\w-]", 6)}.${random("[\\w-]", 38)}`],
    Doppler: () => [`dp.pt.${random(letters, 43)}`],
    Pulumi: () => [`pul-${random(hex, 40)}`],
  };
  it("are missed in at most 3 of 100 lines that name them", () => {
    const missed: string[] = [];
    let count = 0;
    for (let round = 0; round < 8; round += 1)
      for (const make of Object.values(makers))
        for (const name of names) {
          const [value] = make();
          for (const line of assignments(name, value)) {
            count += 1;
            if (redactText(line).includes(value.slice(2, -2))) missed.push(line);
          }
        }
    expect(missed.length / count).toBeLessThan(0.03);
  });

  it("are found in .netrc files and cookies", () => {
    for (const value of [random("[a-z]", 16), random(hex, 32), random(letters, 20)]) {
      const secret = `${value}x7q`;
      for (const line of [
        `machine api.example.org login ada password ${secret}`,
        `  login ada\n  password ${secret}`,
      ])
        expect(redactText(line)).toBe(line.replace(secret, "[redacted: password]"));
    }
    const session = random(letters, 40);
    for (const line of [
      `Cookie: theme=dark; session=${session}`,
      `Set-Cookie: sid=${session}; Path=/; HttpOnly`,
    ])
      expect(redactText(line)).toBe(line.replace(session, "[redacted: cookie]"));
  });

  it("are not names of things, sentences and settings", () => {
    const text = [
      "token: authenticationTokenProvider",
      'secret: "clientcredentialsgrant"',
      "password required for this account",
      "  password incorrectpassword",
      "api_key = configuration.getApiKey()",
      'accessToken: "this-is-not-a-real-one"',
      "Cookie: consent=accepted-all-cookies; lang=en",
      "max_tokens: 100000",
    ].join("\n");
    expect(redactText(text)).toBe(text);
  });

  it("are as rare in real packages as they were", { tags: "slow" }, () => {
    const found = ["zod", "hono", "marked", "yaml", "@modelcontextprotocol/client"].flatMap((name) => {
      const folder = join(import.meta.dirname, "../../../node_modules", name);
      const files = globSync("**/*.{js,cjs,mjs,ts,cts,mts,md,json}", { cwd: folder });
      return files.flatMap((file) => findSecrets(readFileSync(join(folder, file), "utf8")));
    });
    // An example of a password in a URL, and twice the same token.
    expect(found.map(({ kind }) => kind).sort()).toEqual([
      "JSON Web Token",
      "JSON Web Token",
      "password in a URL",
    ]);
  });
});
