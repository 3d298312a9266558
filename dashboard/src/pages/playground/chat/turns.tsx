import type { ReactNode } from "react";
import { useWords } from "../../../words/use-words.ts";
import { playgroundWords } from "../words.ts";
import { AnswerCost } from "./answer-cost.tsx";
import type { AssistantTurn, UserTurn } from "./conversation.ts";
import type { Chat } from "./use-chat.ts";

/** The conversation so far. */
export function Turns({ account, chat }: { readonly account: string; readonly chat: Chat }): ReactNode {
  const t = useWords(playgroundWords);
  if (chat.turns.length === 0) return <p className="py-8 text-mute">{t.start}</p>;
  return (
    <ol aria-live="off" className="flex min-w-0 flex-col gap-6">
      {chat.turns.map((turn, index) => (
        <li key={index} className="min-w-0">
          {turn.role === "user" ? (
            <Asked turn={turn} />
          ) : (
            <Answered turn={turn} writing={chat.running && index === chat.turns.length - 1}>
              <AnswerCost account={account} about={chat.about.get(turn)} />
            </Answered>
          )}
        </li>
      ))}
    </ol>
  );
}

function Asked({ turn: { text, images, results } }: { readonly turn: UserTurn }): ReactNode {
  const t = useWords(playgroundWords);
  return (
    <div className="flex flex-col gap-1 rounded-md bg-shade px-4 py-3">
      <p className="text-sm font-medium text-mute">{t.you}</p>
      {results.map(({ callId, name, text: result }) => (
        <Boxed key={callId} title={t.resultOf(name)} text={result} />
      ))}
      {text !== "" && <p className="break-words whitespace-pre-wrap">{text}</p>}
      {images.length > 0 && <p className="text-sm text-mute">{t.images(images.length)}</p>}
    </div>
  );
}

interface AnsweredProps {
  readonly turn: AssistantTurn;
  readonly writing: boolean;
  readonly children: ReactNode;
}

function Answered({ turn: { cut, answer }, writing, children }: AnsweredProps): ReactNode {
  const t = useWords(playgroundWords);
  const { text, thinking, calls, finish } = answer;
  const usual = /^(stop|tool_calls|completed|end_turn|tool_use|STOP)$/.test(finish);
  return (
    <div className="flex min-w-0 flex-col gap-2 px-4">
      <p className="text-sm font-medium text-mute">{t.answer}</p>
      {thinking !== "" && (
        <details open={writing && text === ""} className="border-l-2 border-line pl-4 text-sm text-mute">
          <summary>{t.reasoning}</summary>
          <p className="break-words whitespace-pre-wrap">{thinking}</p>
        </details>
      )}
      {text !== "" && <p className="break-words whitespace-pre-wrap">{text}</p>}
      {calls.map(({ id, name, input }) => (
        <Boxed key={id} title={t.called(name)} text={input} />
      ))}
      {writing && (
        <p role="status" className="animate-pulse text-sm text-mute">
          {t.writing}
        </p>
      )}
      {!writing && cut !== undefined && <p className="text-sm text-warn">{t.cut[cut]}</p>}
      {!writing && finish !== "" && !usual && <p className="text-sm text-mute">{t.endedBy(finish)}</p>}
      {!writing && children}
    </div>
  );
}

/** What a tool is given or gives. */
function Boxed({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  return (
    <div className="min-w-0 rounded-md border border-line">
      <p className="border-b border-line px-3 py-1 text-sm font-medium">{title}</p>
      <p className="px-3 py-2 font-mono text-sm break-words whitespace-pre-wrap">{text}</p>
    </div>
  );
}
