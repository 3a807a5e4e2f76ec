import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { copyHomeSettings, harmlessSettings } from "./home-settings.ts";

it("copies mirrors and other known settings, and nothing else", async () => {
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
    "<settings>\n<mirrors>\n<mirror><url>https://mirror.example/m2</url></mirror>\n</mirrors>\n</settings>\n",
  );
  expect(seen(".gradle/gradle.properties")).toBe("org.gradle.jvmargs=-Xmx2g\n");
  expect(readdirSync(inside).sort()).toEqual([".config", ".gradle", ".m2", ".npmrc"]);
});

it.each([
  "npmAuthToken: abc",
  '"//registry.example/:_auth" = "eA=="',
  "BUNDLE_GEMS__EXAMPLE__COM: https://me:word@gems.example.com",
  'BUNDLE_GEMS__CONTRIBSYS__COM: "user:pass"',
  ":rubygems_api: abc",
  ":rubygems_api_key: rubygems_1234",
  "nexusPass=abc",
  "ossrhPass = abc",
  "org.gradle.jvmargs=-DnexusPass=abc",
  "# registry=https://me:word@npm.example/",
  "registry = https://npm.example/?key=abc",
  "registry=https://abc@npm.example/",
  'registry = { url = "https://npm.example/", token = "abc" }',
  "channel_alias: https://conda.example/t/abc/",
  'extra-index-url = [\n  "https://pip.example/simple",\n]',
  "npmScopes:\n  acme:\n    npmRegistryServer: https://npm.example/\n    npmAuthToken: abc",
  "  nexusPass: abc",
])("does not copy %j", (text) => {
  expect(harmlessSettings(`save-exact=true\n${text}\nfund=false`)).toBe("save-exact=true\nfund=false\n");
});

it.each([
  "registry=https://npm.example/\n@acme:registry=https://npm.example/acme/\n",
  'registry "https://npm.example/"\n',
  'npmRegistryServer: "https://npm.example/"\nnodeLinker: node-modules\n',
  '[install]\nregistry = "https://npm.example/"\n',
  "[global]\nindex-url = https://pip.example/simple\ntrusted-host =\n    pip.example\n    other.example\n",
  '[[index]]\nname = "a"\nurl = "https://pip.example/simple"\ndefault = true\n',
  "channels:\n  - conda-forge\n  - https://conda.example/main\n",
  ":sources:\n- https://gems.example/\ngem: --no-document\n",
  'BUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/: "https://gems.example/"\n',
  "GOPROXY=https://go.example,direct\nGOFLAGS=-mod=mod\n",
])("copies %j", (text) => {
  expect(harmlessSettings(text)).toBe(text);
});

it("copies from XML only the mirrors of Maven and the sources of NuGet", () => {
  const maven =
    "<?xml version='1.0'?>\n<settings xmlns='x'><servers><server><id>a</id></server></servers><profiles><profile><properties><myPw>abc</myPw></properties></profile></profiles>" +
    "<mirrors><!-- abc --><mirror><id>a</id><url>https://m.example/</url><mirrorOf>*</mirrorOf><myPw>abc</myPw></mirror><mirror><url>https://me:word@m.example/</url></mirror></mirrors></settings>";
  expect(harmlessSettings(maven)).toBe(
    "<settings>\n<mirrors>\n<mirror><id>a</id><url>https://m.example/</url><mirrorOf>*</mirrorOf></mirror>\n</mirrors>\n</settings>\n",
  );
  const source = '<add key="a" value="https://nuget.example/v3/index.json" protocolVersion="3" />';
  const nuget = `<configuration><packageSources><clear />${source}<add key="b" value="https://me:word@nuget.example/" /></packageSources><packageSourceCredentials><a><add key="ClearTextPassword" value="abc" /></a></packageSourceCredentials><apikeys><add key="https://nuget.example/" value="https://abc" /></apikeys></configuration>`;
  expect(harmlessSettings(nuget)).toBe(
    `<configuration>\n<packageSources>\n<clear />\n${source}\n</packageSources>\n</configuration>\n`,
  );
});
