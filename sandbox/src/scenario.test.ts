import { describe, expect, it } from "vitest";
import { parseDirectives, parseSettings, withoutDirectives, withoutFaults } from "./scenario.ts";

describe("a directive", () => {
  it("is read anywhere in a text, later ones winning key by key", () => {
    const text = "Hello [[sandbox: error=529 at=3]] and [[sandbox:at=4 pace=20]] bye";
    expect(parseDirectives(text)).toEqual({ error: 529, at: 4, paceMs: 20 });
    expect(withoutDirectives(text)).toBe("Hello   and   bye");
  });

  it("takes quoted texts with escapes, brackets and line ends", () => {
    const text = String.raw`[[sandbox: text="say \"hi\" ]] \\ \n end" tokens=5]] rest`;
    expect(parseDirectives(text)).toEqual({ text: 'say "hi" ]] \\ \n end', tokens: 5 });
    expect(withoutDirectives(text)).toBe("rest");
  });

  it("ignores what it does not know and what makes no sense", () => {
    expect(parseSettings("colour=red error=abc error=200 cut=-1 usage=odd lost=0 flood=")).toEqual({});
    expect(parseDirectives("[[sandbox: error=529")).toEqual({});
    expect(parseSettings("__proto__=1 constructor=2")).toEqual({});
  });

  it("knows every key of the README's table", () => {
    const all =
      "error=503 at=2 delay=1 stall=1 cut=1 cut_bytes=9 reset=1 lost=1 html=1 flap=2 times=3 retry_after=4 " +
      'usage=nan empty=1 text="x" tokens=5 flood=1 tools=2 pace=6 chunks=7 tag=t';
    expect(Object.keys(parseSettings(all))).toHaveLength(21);
  });

  it("without its faults keeps what shapes the answer", () => {
    expect(withoutFaults(parseSettings("error=500 stall=2 usage=zero tokens=5 pace=6 tag=t"))).toEqual({
      tokens: 5,
      paceMs: 6,
      tag: "t",
    });
  });
});
