import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAT_PROTOCOLS, isGenerating, PROTOCOL_NAMES } from "../../src/conversation/protocol-name.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const SOURCES = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
);

/** What a codec of a text protocol is made of; large ones have more files beside. */
const FILES = [
  "capabilities",
  "codec",
  "decode-request",
  "decode-response",
  "decode-stream",
  "encode-request",
  "encode-response",
  "encode-stream",
  "encode-usage",
  "errors",
  "finish",
  "forward",
  "usage",
  "wire",
];

describe("a protocol is one folder and one line in table.ts", () => {
  it.each(CHAT_PROTOCOLS)("has the same files as its siblings: %s", (protocol) => {
    const found = readdirSync(join(ROOT, "src/protocols", protocol));
    expect(FILES.filter((name) => !found.includes(`${name}.ts`))).toEqual([]);
  });

  it("is met by its codec in table.ts alone", () => {
    const meeting = SOURCES.filter((name) =>
      /from "[^"]*\/codec\.ts"/.test(readFileSync(join(ROOT, "src", name), "utf8")),
    );
    expect(meeting).toEqual([join("protocols", "table.ts")]);
  });
});

/** Who may name a protocol: its own folder and what all folders share, the tables of kinds, presets and words, and OpenAPI. */
const NAMING =
  /^(protocols\/|upstreams\/(kinds|vendor-presets|clouds\/\w+)\.ts$|catalog\/vocabulary\.ts$|conversation\/protocol-name\.ts$|http\/openapi\/document\.ts$)/;

/** Where the same letters are another word; reviewed one by one. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  // The field of the neutral form, and of bodies in the log.
  "conversation/lower/alternating-turns.ts": "messages",
  "conversation/loss.ts": "messages",
  "conversation/lower/lower-request.ts": "messages",
  "conversation/lower/orphan-results.ts": "messages",
  "conversation/lower/empty-turns.ts": "messages",
  "observe/log.ts": "messages",
  // A field of a body whose adapter this is.
  "http/text/compaction-block.ts": "messages",
  // A field of a body that is written in another form.
  "upstreams/bedrock/converse-request.ts": "messages",
  // A field of a vendor's response.
  "relay/embeddings/embeddings-forms.ts": "embeddings",
  // What a model makes.
  "console/models/contract.ts": "rerank",
};

describe("a protocol's name", () => {
  const literal = new RegExp(`["'\`](${PROTOCOL_NAMES.join("|")})["'\`]`, "g");
  const picked = /\bPROTOCOLS(\.[a-z]|\[["'])/;
  const named = (file: string): readonly string[] => {
    const code = readFileSync(join(ROOT, "src", file), "utf8").replace(/^\s*(\/\/|\/?\*).*$/gm, "");
    const words = [...code.matchAll(literal)].flatMap(([, word = ""]) =>
      OTHER_WORDS[file] === word ? [] : [word],
    );
    return picked.test(code) ? [...words, "PROTOCOLS"] : words;
  };
  const outside = SOURCES.filter((file) => !NAMING.test(file));

  it("is written nowhere but where protocols are described: a fact of one is a field of its own object", () => {
    // The demo is a catalog.
    const files = outside.filter((file) => file !== "manifest/demo/demo.ts");
    expect(files.filter((file) => named(file).length > 0).map((file) => [file, ...named(file)])).toEqual([]);
  });

  it("is another word in every file of the list", () => {
    const listed = Object.entries(OTHER_WORDS).filter(([file, word]) => {
      const code = readFileSync(join(ROOT, "src", file), "utf8");
      return code.includes(`"${word}"`);
    });
    expect(listed.map(([file]) => file)).toEqual(Object.keys(OTHER_WORDS));
  });

  it("is the name of a folder, and its object says the same", () => {
    expect(Object.keys(PROTOCOLS)).toEqual([...PROTOCOL_NAMES]);
    for (const [name, protocol] of Object.entries(PROTOCOLS)) {
      expect(protocol.name).toBe(name);
      expect(protocol.translation?.capabilities.protocol).toBe(
        isGenerating(protocol.name) ? name : undefined,
      );
      expect(readdirSync(join(ROOT, "src/protocols", name))).toContain("codec.ts");
    }
  });

  it("is met by no import of its folder from outside, but for the schemas of OpenAPI", () => {
    const meeting = outside.filter((file) =>
      /from "[./]*\/protocols\/(?!streams\/|errors\/)[a-z-]+\/(?!wire\.ts)/.test(
        readFileSync(join(ROOT, "src", file), "utf8"),
      ),
    );
    expect(meeting).toEqual([]);
  });
});

describe("the import rules", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "faregate-imports-"));
    cpSync(join(ROOT, "tsconfig.json"), join(folder, "tsconfig.json"));
    write("src/conversation/form.ts", "export const form = 1;\n");
    write(
      "src/protocols/known.ts",
      'import { form } from "../conversation/form.ts";\nexport const known = form;\n',
    );
    write("src/protocols/fifth/codec.ts", codecFile("../known.ts"));
    write("src/protocols/sixth/codec.ts", codecFile("../known.ts"));
    write(
      "src/protocols/table.ts",
      'import { made as fifth } from "./fifth/codec.ts";\nimport { made as sixth } from "./sixth/codec.ts";\nexport const table = { fifth, sixth };\n',
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("let a folder know what all share, and nothing else", { timeout: 300_000 }, async () => {
    expect(await violations()).toEqual([]);
    write("src/protocols/sixth/codec.ts", codecFile("../fifth/codec.ts"));
    expect(await violations()).toEqual(["protocols-have-no-siblings"]);
    write("src/protocols/sixth/codec.ts", codecFile("../table.ts"));
    expect(await violations()).toContain("codecs-do-not-know-the-table");
    write("src/relay/relay.ts", "export const made = 1;\n");
    write("src/protocols/sixth/codec.ts", codecFile("../../relay/relay.ts"));
    expect(await violations()).toContain("protocols-imports");
  });

  function write(name: string, text: string): void {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }

  /** A file that uses another's only export. */
  function codecFile(other: string): string {
    return `import * as other from "${other}";\nexport const made = other;\n`;
  }

  /** The names of the rules that the tree breaks, each once. */
  async function violations(): Promise<readonly string[]> {
    const cruiser = join(ROOT, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
    const rules = join(ROOT, ".dependency-cruiser.cjs");
    const run = promisify(execFile)(
      process.execPath,
      [cruiser, "--config", rules, "--output-type", "json", "src"],
      { cwd: folder, maxBuffer: 16 * 1024 * 1024 },
    );
    // It ends with the number of violations.
    const { stdout } = await run.catch((error: { stdout: string }) => error);
    const { summary } = JSON.parse(stdout) as {
      summary: { violations: readonly { rule: { name: string } }[] };
    };
    return [...new Set(summary.violations.map(({ rule }) => rule.name))].sort();
  }
});
