import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { copyHomeSettings, withoutSecrets } from "./home-settings.ts";

it("copies settings without passwords, tokens, proxies and prefixes, and nothing else", async () => {
  await using folder = temporaryFolder();
  const home = join(folder.path, "home");
  const inside = join(folder.path, "inside");
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  put(
    ".npmrc",
    "registry=https://mirror.example/npm/\n//mirror.example/npm/:_authToken=abc\n//m/:_password=eA==\nprefix=/home/me/.npm-global\nhttps-proxy=http://proxy:1\nsave-exact=true\n",
  );
  put(
    ".config/pip/pip.conf",
    "[global]\nindex-url = https://mirror.example/simple\nextra-index-url =\n  https://me:word@other.example/simple\ncert = /etc/ca.pem\n",
  );
  put(
    ".m2/settings.xml",
    "<settings>\n<servers><server><id>a</id><password>x</password></server></servers>\n<mirrors><mirror><url>https://mirror.example/m2</url></mirror></mirrors>\n</settings>\n",
  );
  put(".gradle/gradle.properties", "org.gradle.jvmargs=-Xmx2g\nsigning.password=x\nartifactoryToken = y\n");
  put(".netrc", "machine a login b password c\n");
  put(".pypirc", "[pypi]\npassword = x\n");
  mkdirSync(inside);
  copyHomeSettings(home, inside);
  const seen = (path: string) => readFileSync(join(inside, path), "utf8");
  expect(seen(".npmrc")).toBe("registry=https://mirror.example/npm/\nsave-exact=true\n");
  expect(seen(".config/pip/pip.conf")).toBe(
    "[global]\nindex-url = https://mirror.example/simple\nextra-index-url =\ncert = /etc/ca.pem\n",
  );
  expect(seen(".m2/settings.xml")).toBe(
    "<settings>\n\n<mirrors><mirror><url>https://mirror.example/m2</url></mirror></mirrors>\n</settings>\n",
  );
  expect(seen(".gradle/gradle.properties")).toBe("org.gradle.jvmargs=-Xmx2g\n");
  expect(readdirSync(inside).sort()).toEqual([".config", ".gradle", ".m2", ".npmrc"]);
});

it.each([
  "npmAuthToken: abc",
  '"//registry.example/:_auth" = "eA=="',
  "BUNDLE_GEMS__EXAMPLE__COM: https://me:word@gems.example.com",
  `registry = https://npm.example/?key=AIza${"a".repeat(35)}`,
  '<add key="ClearTextPassword" value="x" />',
  "email_password=1",
  ":rubygems_api_key: rubygems_1234",
])("drops the line %s", (line) => {
  expect(withoutSecrets(`a=1\n${line}\nb=2`)).toBe("a=1\nb=2");
});
