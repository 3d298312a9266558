/** What a prompt orders to be done with a reference video; undefined = no unambiguous order. */
export type OrderedWork = "edit" | "extend";

/**
 * Decides whether a prompt orders to extend or to edit one of its `videos` reference videos. A word counts only as an
 * order about such a video: "extend video 1", "replace the car in the clip". Whether dancers who continue, or light
 * that is added to a scene, are such orders is left to the vendor. "extend" takes precedence: "extend the clip and add
 * a dog to the video" is no edit.
 */
export function orderedWork(prompt: string, videos: number): OrderedWork | undefined {
  const names = namesOf(videos);
  const sentences = prompt.slice(0, MAX_READ).split(/[.!?](?=\s|$)|[;\n。！？；]/);
  const orders = (work: OrderedWork): boolean =>
    sentences.some(
      (sentence) => ordersIn(sentence, work, names.english) || names.chinese[work].test(sentence),
    );
  return orders("extend") ? "extend" : orders("edit") ? "edit" : undefined;
}

/**
 * Longer than any prompt that vendors accept; the rest is not read. Likewise, only the part of a sentence near a verb
 * is read.
 */
const MAX_READ = 10_000;
const NEAR = 200;

const VERBS = {
  extend: /\b(?:extend|continue|prolong|lengthen)\b/gi,
  edit: /\b(?:edit|add|delete|remove|modify|replace)\b/gi,
} as const;

interface EnglishNames {
  /** Text that may stand between an order and its video, by the order's verb. */
  readonly follows: Readonly<Record<string, RegExp>>;
  /** "In video 1, ...": the video is named before the order. */
  readonly topic: RegExp;
  readonly passive: Readonly<Record<OrderedWork, RegExp>>;
}

function ordersIn(sentence: string, work: OrderedWork, { follows, topic, passive }: EnglishNames): boolean {
  if (passive[work].test(sentence)) return true;
  for (const match of sentence.matchAll(VERBS[work])) {
    const from = match.index + match[0].length;
    const after = sentence.slice(from, from + NEAR);
    const isNear = match.index <= NEAR;
    const before = sentence.slice(isNear ? 0 : match.index - NEAR, match.index);
    if (isNear && topic.test(before)) return true;
    const ordered = isNear ? isOrder(before, before) : isOrder(sentence.slice(0, NEAR), before);
    if (ordered && follows[match[0].toLowerCase()]?.test(after)) return true;
  }
  return false;
}

/** True if nothing, polite words or the beginning of an order precede a verb. */
function isOrder(begin: string, before: string): boolean {
  if (begin === before && OPENING.test(before)) return true;
  return BEGINS_WITH_ORDER.test(begin) && JOINED.test(before) && !NEGATED.test(before);
}

const OPENING =
  /^\W*(?:(?:please|kindly|now|first|then|next|also|just|finally|and|let'?s|(?:can|could|would|will) you|you (?:should|must)|(?:i|we) (?:want|need|would like|wish)(?: you)? to|i'd like(?: you)? to|your task is to)\W+)*$/i;
const BEGINS_WITH_ORDER =
  /^\W*(?:please|kindly|now|first|then|make|keep|take|use|turn|set|change|let|put|edit|add|delete|remove|modify|replace|extend|continue)\b/i;
const JOINED = /(?:,|:|\band|\bthen|\bplease)\s*(?:(?:please|also|then)\s+)*$/i;
const NEGATED = /\b(?:not|never|without|don'?t|avoid|instead of|rather than)\b[^,:]*$/i;

/** Nouns that form a compound with "video": a video wall is no video. */
const COMPOUNDS =
  "game|wall|screen|camera|call|store|projector|player|card|poster|star|director|crew|reel|grain|noir|art|board";

function namesOf(videos: number) {
  const numbers = Array.from({ length: videos }, (_, index) => index + 1).join("|");
  const noun = "(?:videos?|clips?|footage|movies?|films?|recordings?)";
  const kind =
    "(?:whole|entire|full|first|second|third|last|given|provided|uploaded|attached|input|reference|referenced|source|original|existing)";
  const definite = `(?:(?:the|this|that|my|our|these|those|both|all)\\s+(?:${kind}\\s+){0,3}|(?:reference|source|input|original)\\s+)${noun}\\b(?!\\s*#?\\d)(?![\\s-]+(?:${COMPOUNDS})s?\\b)`;
  const numbered = `(?:(?:the|this|that)\\s+)?(?:${kind}\\s+)?[@[<(]?${noun}\\s*#?(?:${numbers})(?!\\d)[\\])>]?`;
  const video = `(?:${numbered}|${definite})`;
  const within = (prepositions: string): RegExp =>
    new RegExp(
      `^(?:\\s+${video}|(?:(?!\\b(?:with|by|like|as)\\b).){1,80}?\\b(?:${prepositions})\\s+${video}(?!\\s+(?:to|into|onto)\\b))`,
      "i",
    );
  const extended = new RegExp(
    `^(?:\\s+(?:it\\s+|the\\s+)?(?:forwards?|backwards?)\\b|(?:\\s+(?:forwards?|backwards?|on|on from|from|from where|from the end of|the (?:end|ending|start|beginning|action|story|scene|shot|plot|motion) (?:of|in|from)))?\\s+${video})`,
    "i",
  );
  const places = "in|of|on|from|within|inside|throughout";
  const joint = "\\s*(?:[,:-]|and|then|,\\s*(?:and|then))\\s*";
  const english: EnglishNames = {
    follows: {
      extend: extended,
      continue: extended,
      prolong: extended,
      lengthen: extended,
      add: within("to|into|onto|in|on|over|at the (?:start|beginning|end) of"),
      edit: within(places),
      modify: within(places),
      replace: within(places),
      delete: within(places),
      remove: within(places),
    },
    topic: new RegExp(
      `^\\W*(?:please\\s+)?(?:${video}${joint}|(?:in|on|from|for|to|within|take|use|with)\\s+${video}(?:${joint}|\\s+))(?:please\\s+)?$`,
      "i",
    ),
    passive: {
      extend: new RegExp(
        `${video}\\s+(?:should|must|has to|have to|needs? to)\\s+be\\s+(?:extended|continued|prolonged|lengthened)`,
        "i",
      ),
      edit: new RegExp(
        `${video}\\s+(?:should|must|has to|have to|needs? to)\\s+be\\s+(?:edited|modified|replaced|removed|deleted)`,
        "i",
      ),
    },
  };
  return { english, chinese: chineseOrders(numbers) };
}

/**
 * Chinese has no word boundaries or inflections. An order names its video before the verb (把视频1延长) or after it (延长视频1).
 */
function chineseOrders(numbers: string): Readonly<Record<OrderedWork, RegExp>> {
  const video = `(?<!一个|一段|一条|新的?)(?:视频|片段|影片|短片|录像)(?!墙|游戏|通话|会议)(?:\\s*(?:${numbers}|[一二三四五六七八九十])(?!\\d)|(?!\\s*\\d))`;
  const wanted = "(?<!不|别|勿|不要|不用|无需|避免|不得)";
  const longer = "(?:延长|延展|延续|续写|扩展|接续)";
  const changed = "(?:编辑|剪辑|增加|添加|加上|加入|删除|删掉|去掉|移除|修改|替换|换成)";
  return {
    extend: new RegExp(
      [
        `${wanted}(?:${longer}|继续)(?:一下)?(?:这段|这个|该|此|整个|参考|原|源|上述)*${video}`,
        `(?:把|将|对|给|从)(?:这段|这个|该|此|整个|参考|原|源)*${video}[^，。！？；]{0,10}?${wanted}${longer}`,
        `^\\s*(?:请)?${video}[，：:]?(?:向前|向后|往前|往后|再)?${longer}`,
        `${wanted}(?:向前|向后|往前|往后)${longer}`,
      ].join("|"),
    ),
    edit: new RegExp(
      [
        `${wanted}${changed}[^，。！？；]{0,12}?${video}`,
        `(?:把|将|对|给|在|从|为)(?:这段|这个|该|此|整个|参考|原|源)*${video}[^。！？；]{0,30}?${wanted}${changed}`,
      ].join("|"),
    ),
  };
}
