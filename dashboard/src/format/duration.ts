import type { Language } from "../words/language.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const UNITS = {
  en: { ms: "ms", second: "s", minute: "min", hour: "h", day: "d" },
  zh: { ms: "毫秒", second: "秒", minute: "分钟", hour: "小时", day: "天" },
} as const;

/** A duration in the unit a person says: "840 ms", "1.3 s", "4 min", "2 h 5 min", "3 d". */
export function formatDuration(ms: number, language: Language): string {
  const unit = UNITS[language];
  if (ms < SECOND_MS) return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ${unit.ms}`;
  if (ms < 99.5 * SECOND_MS)
    return `${(ms / SECOND_MS).toFixed(ms < 9.95 * SECOND_MS ? 1 : 0)} ${unit.second}`;
  if (ms < HOUR_MS) return `${Math.round(ms / MINUTE_MS)} ${unit.minute}`;
  if (ms < 2 * DAY_MS) {
    const total = Math.round(ms / MINUTE_MS);
    const [hours, minutes] = [Math.floor(total / 60), total % 60];
    return `${hours} ${unit.hour}${minutes === 0 ? "" : ` ${minutes} ${unit.minute}`}`;
  }
  return `${Math.round(ms / DAY_MS)} ${unit.day}`;
}
