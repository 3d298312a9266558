import { type ReactNode, useState } from "react";
import type { TaskFile } from "../../../../src/console/tasks/contract.ts";
import { useWords } from "../../words/use-words.ts";
import { tasksWords } from "./words.ts";

interface PreviewProps {
  readonly file: TaskFile;
  /** What it shows, for who cannot see it. */
  readonly about: string;
  /** Full: in its own form, and videos with their controls. Else a still that fills its place. */
  readonly full?: boolean;
}

/** An image or video that a task made. It comes through the gateway: the page asks no vendor. */
export function Preview({ file, about, full = false }: PreviewProps): ReactNode {
  const t = useWords(tasksWords);
  const [gone, setGone] = useState(false);
  if (gone) return <p className="p-4 text-center text-sm text-mute">{t.gone}</p>;
  const fit = full ? "max-h-[70dvh] max-w-full" : "size-full object-cover";
  const lost = () => setGone(true);
  if (file.kind !== "video") {
    return (
      <img src={file.view} alt={about} loading={full ? "eager" : "lazy"} className={fit} onError={lost} />
    );
  }
  return (
    <video
      src={full ? file.view : `${file.view}#t=0.1`}
      aria-label={about}
      preload="metadata"
      muted={!full}
      controls={full}
      playsInline
      loop={full}
      tabIndex={full ? undefined : -1}
      className={fit}
      onError={lost}
    />
  );
}
