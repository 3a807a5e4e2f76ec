import { expect, it } from "vitest";
import { holdsSecret, namesSecret } from "./withheld.ts";

it.each([
  ...[
    "OPENAI_API_KEY",
    "API_KEY_PROD",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "SSH_KEY",
    "KEY",
    "SSHKEY",
  ],
  ...["SECRETKEY", "PRIVATEKEY", "APPSECRET", "CLIENTSECRET", "SECRET", "clientSecretOfShop", "SECRETS_DIR"],
  ...["GITHUB_TOKEN", "Service_Token", "githubToken", "TOKEN_OF_BOT", "GITHUB_PAT", "GH_PAT", "PAT"],
  ...[
    "DB_PASSWORD",
    "PGPASSWORD",
    "DB_PASSWORD_TEST",
    "PASSWD",
    "PASSWORDS",
    "PASSPHRASE",
    "MYSQL_PASS",
    "PASS",
  ],
  ...["SSHPASS", "DBPASS", "nexusPass", "MYSQL_PWD", "DBPWD", "DB_PW", "myPw"],
  ...[
    "NPM_CONFIG__AUTH",
    "DOCKER_AUTH_CONFIG",
    "COOKIE",
    "SESSION_COOKIES",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "CREDS",
  ],
  ...["SENTRY_DSN", "DSN", "MNEMONIC", "WALLET_MNEMONIC", "SLACK_WEBHOOK_URL", "DISCORD_WEBHOOK"],
  ...["AZURE_STORAGE_CONNECTION_STRING", "ConnectionStrings__Default", "CONNECTIONSTRING", "DB_CONN_STR"],
])("takes %s for the name of a secret", (name) => {
  expect(namesSecret(name)).toBe(true);
});

it.each([
  ...[
    "CI",
    "NODE_ENV",
    "TZ",
    "PYTHONPATH",
    "PATH",
    "JAVA_HOME",
    "npm_config_registry",
    "SSL_CERT_FILE",
    "RUSTFLAGS",
  ],
  ...[
    "COMPASS",
    "MY_COMPASS",
    "BYPASS",
    "PASSENGER_APP_ENV",
    "PASSENGER",
    "PWD",
    "OLDPWD",
    "KEYBOARD",
    "MONKEY",
    "HOTKEY",
  ],
  ...[
    "TOKENIZERS_PARALLELISM",
    "AUTHOR",
    "GIT_AUTHOR_NAME",
    "DATABASE_URL",
    "NODE_OPTIONS",
    "COMPAT",
    "PATCH",
    "EDITOR",
  ],
  ...[
    "KEYMAP",
    "SECRETARY",
    "PATTERN",
    "XDG_DATA_DIRS",
    "PKG_CONFIG_PATH",
    "MAKEFLAGS",
    "PIP_INDEX_URL",
    "SOURCE_DATE_EPOCH",
  ],
])("does not take %s for the name of a secret", (name) => {
  expect(namesSecret(name)).toBe(false);
});

const letters = "Qw3Er7Ty1Ui9Op5As2Df8Gh4Jk6Lz0XcVbNmRtYuPaSdFgHjKlZxCvBnM1q2W3e4R5t6Y7u8I9o0";
const digits = "3f9c1a7e5b2d804c6e1f9a3b7d5c2e8f0a4b6d9c1e7f3a5b8d2c4e6f9a0b1c7d";

it.each([
  `hf_${letters.slice(0, 34)}`,
  `gsk_${letters.slice(0, 52)}`,
  `sk_live_${letters.slice(0, 24)}`,
  `pul-${digits.slice(0, 40)}`,
  `dop_v1_${digits}`,
  `ghp_${letters.slice(0, 36)}`,
  "ada:pw@tcp(db:3306)/shop",
  "postgres://me:word@localhost/db",
  "https://ada:secret@mirror.test/",
  "-----BEGIN RSA PRIVATE KEY-----",
  "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=short",
  "host=db user=ada password=hunter",
  "-Djavax.net.ssl.keyStorePassword=changeit",
  "-DnexusPass=abc",
  "https://mirror.test/?token=abc",
  '-H "Authorization: Bearer abcdef"',
  '{"client_secret": "abc"}',
  "deploy --api-key abc --verbose",
  "https://abcdef@mirror.test/simple",
])("finds a secret in %s", (value) => {
  expect(holdsSecret(value)).toBe(true);
});

it.each([
  ...[
    "1",
    "production",
    "/usr/lib/jvm/java-21",
    "http://mirror.test/npm/",
    "-C target-cpu=native",
    "--max-old-space-size=4096",
  ],
  ...[
    "postgres://localhost:5432/db",
    "git@github.com:ada/shop.git",
    "Europe/Berlin",
    "lib:src:/opt/python",
    "/opt/token:/usr/bin",
    "--token-file --verbose",
    "",
  ],
  ...["ssh://git@github.com/ada/shop", "rs=0:di=01;34:ln=01;36:*.tar=01;31", "ada@example.test"],
])("finds no secret in %s", (value) => {
  expect(holdsSecret(value)).toBe(false);
});
