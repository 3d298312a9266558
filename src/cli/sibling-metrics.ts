import type { Worker } from "node:cluster";
import { joinTexts } from "../observe/exposition.ts";
import type { TextOfAll } from "../observe/metrics.ts";

/** Between a supervisor and its processes, told apart from what else goes there by its first field. */
type Message =
  /** A process wants the numbers of all; `ask` is its own count. */
  | { readonly metrics: "wanted"; readonly ask: number }
  /** The supervisor wants those of a process, for this round. */
  | { readonly metrics: "asked"; readonly round: number }
  | { readonly metrics: "told"; readonly round: number; readonly text: string }
  | { readonly metrics: "gathered"; readonly ask: number; readonly texts: Texts };

/** The number of a process among its siblings, with its metrics. */
type Texts = readonly (readonly [process: string, text: string])[];

/** A process that says nothing, as one that was paused, is left out; scrapers wait for ten seconds. */
const RESPONSE_MS = 2_000;

/**
 * The supervisor's part: processes that ask get the metrics of all. `living` are the workers with their numbers, as they
 * are at each moment. Gives what is to be done with each new worker.
 */
export function exchangeMetrics(living: ReadonlyMap<Worker, number>): (worker: Worker) => void {
  let rounds = 0;
  const open = new Map<number, (worker: Worker, text: string) => void>();

  const gather = (asker: Worker, ask: number): void => {
    rounds += 1;
    const round = rounds;
    const asked = [...living].sort(([, a], [, b]) => a - b);
    const textByWorker = new Map<Worker, string>();
    const finish = (): void => {
      clearTimeout(timer);
      open.delete(round);
      const texts = asked.flatMap(([worker, number]) => {
        const text = textByWorker.get(worker);
        return text === undefined ? [] : [[String(number), text] as const];
      });
      send(asker, { metrics: "gathered", ask, texts });
    };
    const timer = setTimeout(finish, RESPONSE_MS);
    open.set(round, (worker, text) => {
      textByWorker.set(worker, text);
      if (textByWorker.size === asked.length) finish();
    });
    for (const [worker] of asked) send(worker, { metrics: "asked", round });
  };

  return (worker) => {
    worker.on("message", (message: Message) => {
      if (message.metrics === "wanted") gather(worker, message.ask);
      else if (message.metrics === "told") open.get(message.round)?.(worker, message.text);
    });
  };
}

/** One that ends just now has closed its channel, which is no error of anybody's. */
function send(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/** A process's part: its metrics are those of all its siblings, each sample with the label `process`. */
export function siblingMetrics(channel: NodeJS.Process): TextOfAll {
  return (own) => {
    let asks = 0;
    const waiting = new Map<number, (texts: Texts) => void>();
    channel.on("message", (message: Message) => {
      if (message.metrics === "asked")
        own().then(
          (text) => sendMessage({ metrics: "told", round: message.round, text }),
          // Left out, as a process that says nothing.
          () => undefined,
        );
      else if (message.metrics === "gathered") {
        waiting.get(message.ask)?.(message.texts);
        waiting.delete(message.ask);
      }
    });
    const sendMessage = (message: Message): void => {
      if (channel.connected) channel.send?.(message);
    };
    return async () => {
      asks += 1;
      const texts = await new Promise<Texts>((resolve) => {
        waiting.set(asks, resolve);
        sendMessage({ metrics: "wanted", ask: asks });
      });
      return joinTexts("process", texts);
    };
  };
}
