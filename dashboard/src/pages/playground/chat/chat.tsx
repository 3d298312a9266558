import { type ReactNode, useState } from "react";
import type { AccountModel } from "../../../../../src/console/models/contract.ts";
import { useSearch } from "../../../api/search.ts";
import { useSession } from "../../../api/session.ts";
import { useRead } from "../../../api/use-read.ts";
import { Button } from "../../../parts/button.tsx";
import { Empty } from "../../../parts/empty.tsx";
import { Failed } from "../../../parts/failure.tsx";
import { Field, Select } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { useEndpointName } from "../../../words/endpoint-words.ts";
import { useWords } from "../../../words/use-words.ts";
import { ShowCode } from "../code-dialog.tsx";
import { ModelSelect } from "../model-select.tsx";
import { playgroundWords } from "../words.ts";
import { chatSnippets } from "./chat-snippets.ts";
import { Composer } from "./composer.tsx";
import { type Call, PROTOCOL_NAMES, type ProtocolName } from "./conversation.ts";
import { NO_SETTINGS, readSettings, type Settings } from "./settings.ts";
import { SettingsFields } from "./settings-fields.tsx";
import { Turns } from "./turns.tsx";
import { type Chat as Conversation, useChat } from "./use-chat.ts";

/** A conversation with any text model by any of its protocols. */
export function Chat({ account }: { readonly account: string }): ReactNode {
  const t = useWords(playgroundWords);
  return (
    <Loaded query={useRead(`/accounts/${account}/models`)}>
      {({ data }) => {
        const spoken = data.filter((model) => protocolsOf(model).length > 0);
        if (spoken.length === 0) return <Empty title={t.noModels}>{t.noModelsNote}</Empty>;
        return <ChatWith account={account} models={spoken} />;
      }}
    </Loaded>
  );
}

interface ChatWithProps {
  readonly account: string;
  readonly models: readonly AccountModel[];
}

function ChatWith({ account, models }: ChatWithProps): ReactNode {
  const t = useWords(playgroundWords);
  const endpointName = useEndpointName();
  const { public_url: origin } = useSession();
  const [search, change] = useSearch();
  const [settings, setSettings] = useState<Settings>(NO_SETTINGS);
  const chat = useChat(account);
  const model = models.find(({ id }) => id === search["model"]) ?? models[0];
  const protocols = model === undefined ? [] : protocolsOf(model);
  const protocol = protocols.find((name) => name === search["protocol"]) ?? protocols[0];
  const given = readSettings(settings);
  if (model === undefined || protocol === undefined) return null;
  const request = given && { model: model.id, ...given };
  return (
    <div className="grid min-w-0 gap-8 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <aside className="flex min-w-0 flex-col gap-4 lg:order-last">
        <ModelSelect models={models} value={model.id} />
        <Field label={t.protocol}>
          <Select
            value={protocol}
            onChange={(event) => change({ protocol: event.target.value }, { replace: true })}
          >
            {protocols.map((name) => (
              <option key={name} value={name}>
                {endpointName(name)}
              </option>
            ))}
          </Select>
        </Field>
        <SettingsFields settings={settings} change={setSettings} />
      </aside>
      <div className="flex min-w-0 flex-col gap-6">
        <Turns account={account} chat={chat} />
        {chat.error !== undefined && <Failed error={chat.error} />}
        <Composer
          calls={openCalls(chat)}
          running={chat.running}
          disabled={request === undefined}
          onStop={chat.stop}
          onSend={(turn) =>
            request === undefined ? Promise.resolve(false) : chat.send(turn, protocol, request)
          }
        >
          {request !== undefined && (
            <ShowCode
              snippets={() => chatSnippets(origin, protocol, { ...request, turns: shownTurns(chat) })}
            />
          )}
          {chat.turns.length > 0 && (
            <Button look="quiet" onClick={chat.clear}>
              {t.clear}
            </Button>
          )}
        </Composer>
      </div>
    </div>
  );
}

function protocolsOf({ endpoints }: AccountModel): readonly ProtocolName[] {
  return PROTOCOL_NAMES.filter((name) => endpoints.includes(name));
}

/** The calls that wait for their results. */
function openCalls({ turns, running }: Conversation): readonly Call[] {
  const last = turns.at(-1);
  return last?.role === "assistant" && !running ? last.answer.calls : [];
}

/** The request of the last response, or of a first one. */
function shownTurns({ turns }: Conversation): Conversation["turns"] {
  const asked = turns.at(-1)?.role === "assistant" ? turns.slice(0, -1) : turns;
  return asked.length > 0 ? asked : [{ role: "user", text: "Hello!", images: [], results: [] }];
}
