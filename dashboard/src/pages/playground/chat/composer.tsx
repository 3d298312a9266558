import { type FormEvent, type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { Button, IconButton } from "../../../parts/button.tsx";
import { Field, Textarea } from "../../../parts/field.tsx";
import { toast } from "../../../parts/toast.tsx";
import { useWords } from "../../../words/use-words.ts";
import { dataUrlOf, MAX_FILE_BYTES } from "../read-file.ts";
import { playgroundWords } from "../words.ts";
import type { Call, UserTurn } from "./conversation.ts";

interface ComposerProps {
  /** Of the response before, which want their results. */
  readonly calls: readonly Call[];
  readonly running: boolean;
  readonly disabled: boolean;
  /** false = it was not taken, and stands here again. */
  readonly onSend: (turn: UserTurn) => Promise<boolean>;
  readonly onStop: () => void;
  readonly children: ReactNode;
}

interface Image {
  readonly name: string;
  readonly url: string;
}

/** Where the next turn is written: a message, images, and the results of what the model called. */
export function Composer({ calls, running, disabled, onSend, onStop, children }: ComposerProps): ReactNode {
  const t = useWords(playgroundWords);
  const [text, setText] = useState("");
  const [images, setImages] = useState<readonly Image[]>([]);
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const form = useRef<HTMLFormElement>(null);
  const isNothing = text.trim() === "" && images.length === 0 && calls.length === 0;

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isNothing || running || disabled) return;
    const turn: UserTurn = {
      role: "user",
      text,
      images: images.map(({ url }) => url),
      results: calls.map(({ id, name }) => ({ callId: id, name, text: results[id] ?? "" })),
    };
    setText("");
    setImages([]);
    if (await onSend(turn)) return setResults({});
    // Before what was typed and attached meanwhile.
    setText((now) => (now === "" ? text : `${text}\n${now}`));
    setImages((now) => [...images, ...now]);
  };
  const onKey = (event: KeyboardEvent): void => {
    // Enter that ends a word of an input method is no sending.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };
  const attach = async (files: readonly File[]): Promise<void> => {
    for (const file of files) {
      if (file.size > MAX_FILE_BYTES) {
        toast(t.tooLarge(file.name));
        continue;
      }
      const url = await dataUrlOf(file);
      setImages((known) => [...known, { name: file.name, url }]);
    }
  };

  return (
    <form ref={form} onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
      {calls.map(({ id, name }) => (
        <Field key={id} label={t.resultOf(name)} hint={t.resultHint}>
          <Textarea
            rows={2}
            className="font-mono text-sm"
            value={results[id] ?? ""}
            onChange={(event) => setResults({ ...results, [id]: event.target.value })}
          />
        </Field>
      ))}
      <Field label={t.message} quiet>
        <Textarea
          rows={3}
          placeholder={t.messageHint}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKey}
        />
      </Field>
      {images.length > 0 && (
        <ul className="flex flex-wrap gap-2">
          {images.map(({ name }, index) => (
            <li
              key={index}
              className="flex max-w-full items-center rounded-md border border-line pl-2 text-sm"
            >
              <span className="truncate">{name}</span>
              <IconButton
                icon="close"
                label={t.remove(name)}
                onClick={() => setImages(images.filter((_, other) => other !== index))}
              />
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        {running ? (
          <Button icon="close" onClick={onStop}>
            {t.stop}
          </Button>
        ) : (
          <Button type="submit" look="primary" disabled={isNothing || disabled}>
            {t.send}
          </Button>
        )}
        <ImageInput label={t.attach} onFiles={(files) => void attach(files)} />
        {children}
      </div>
    </form>
  );
}

/** A button that opens the device's files. */
function ImageInput({
  label,
  onFiles,
}: {
  readonly label: string;
  readonly onFiles: (files: readonly File[]) => void;
}): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button icon="plus" onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        accept="image/*"
        multiple
        hidden
        aria-label={label}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}
