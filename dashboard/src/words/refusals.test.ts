import { describe, expect, it } from "vitest";
import { refusalIn } from "./refusals.ts";

const refused = (code: string, more: object = {}) => ({
  code,
  message: "priority: must be a number",
  param: "",
  status: 400,
  waitSeconds: undefined,
  ...more,
});

describe("a refusal on a Chinese page", () => {
  it("is said in Chinese by its code, with the gateway's sentence where that says more", () => {
    expect(refusalIn("zh", refused("forbidden", { message: "Only operators may do this." }))).toEqual({
      words: "您无权执行此操作。",
      detail: "Only operators may do this.",
    });
    expect(refusalIn("zh", refused("not_signed_in"))).toMatchObject({ detail: undefined });
  });

  it("names the field at fault, but for the field itself", () => {
    const error = refused("invalid_request", { param: "priority" });
    expect(refusalIn("zh", error).words).toBe("字段“priority”的值无效。");
    expect(refusalIn("zh", error, { beside: true }).words).toBe("此值无效。");
    expect(refusalIn("zh", error, { beside: true }).detail).toBe("priority: must be a number");
    expect(refusalIn("zh", refused("conflict"), { beside: true }).words).toBe("与现有内容冲突。");
  });

  it("is in Chinese alone where the page itself refuses", () => {
    const message = "Someone else signed in from another tab. Nothing was changed.";
    expect(refusalIn("zh", refused("somebody_else", { message, status: 403 }))).toEqual({
      words: "其他人已在另一个标签页中登录，未作任何更改。",
      detail: undefined,
    });
  });

  it("says how long to wait", () => {
    const wait = (waitSeconds?: number) =>
      refusalIn("zh", refused("too_many_attempts", { waitSeconds })).words;
    expect(wait(5)).toBe("尝试次数过多，请在 5 秒后重试。");
    expect(wait(61)).toBe("尝试次数过多，请在 2 分钟后重试。");
    expect(wait()).toBe("尝试次数过多，请稍后重试。");
  });

  it("is said of an answer that had begun", () => {
    expect(refusalIn("zh", refused("overloaded_error", { status: 200 })).words).toBe("响应中途出错。");
  });

  it("keeps the sentence of a code that is a vendor's own", () => {
    for (const code of ["content_policy", "", "toString"])
      expect(refusalIn("zh", refused(code))).toEqual({
        words: "请求未成功（HTTP 400）。",
        detail: "priority: must be a number",
      });
  });
});

describe("a refusal on an English page", () => {
  it("is the gateway's own sentence", () => {
    const said = { words: "priority: must be a number", detail: undefined };
    expect(refusalIn("en", refused("forbidden"), { beside: true })).toEqual(said);
  });
});
