import type { Language } from "../words/language.ts";

const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** The time since or until a moment: "3 minutes ago", "in 2 days"; "now" within a few seconds. */
export function formatAgo(moment: Date, now: Date, language: Language): string {
  const seconds = Math.round((moment.getTime() - now.getTime()) / 1_000);
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const [unit, size] = STEPS.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1];
  if (unit === "second" && Math.abs(seconds) < 5) return format.format(0, "second");
  return format.format(Math.trunc(seconds / size), unit);
}

/** The exact moment in the reader's own zone, to the second, with the zone's name. */
export function formatMoment(moment: Date, language: Language): string {
  return moment.toLocaleString(language === "zh" ? "zh-CN" : "en-GB", {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  });
}

/** A day for axes and rows: "12 Nov", and "12 Nov 2026" among days of more than a year. */
export function formatDay(moment: Date, language: Language, withYear = false): string {
  return moment.toLocaleDateString(language === "zh" ? "zh-CN" : "en-GB", {
    ...(withYear && { year: "numeric" }),
    month: "short",
    day: "numeric",
    timeZone: "UTC",
  });
}

/** A month: "2026-11" is "November 2026". */
export function formatMonth(month: string, language: Language): string {
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString(language === "zh" ? "zh-CN" : "en-GB", {
    year: "numeric",
    month: "long",
    timeZone: "UTC",
  });
}
