import { useEffect, useRef, useState } from "react";
import { apiUrl, read } from "./client.ts";
import type { Offered, QueryOf } from "./operations.ts";
import { queryClient } from "./query-client.ts";

/** The state of the live connection. */
export type Liveness = "connecting" | "live" | "lost";

/** Browsers' own delay. */
const RETRY_DELAY_MS = 3_000;

/**
 * Hears a stream of the console as long as the page is open. The browser reconnects by itself after a lost connection, but
 * not after a response that is no stream, as a gateway that stops and a proxy before one that is away give.
 */
export function useEvents<const Path extends string, Event>(
  path: Path & Offered<Path, "get">,
  hear: (event: Event) => void,
  query?: QueryOf<Path>,
): Liveness {
  const [liveness, setLiveness] = useState<Liveness>("connecting");
  const latest = useRef(hear);
  latest.current = hear;
  const url = apiUrl(path, query);
  useEffect(() => {
    let source: EventSource;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = (): void => {
      source = new EventSource(url);
      source.onopen = () => setLiveness("live");
      source.onerror = () => {
        setLiveness("lost");
        if (source.readyState !== EventSource.CLOSED) return;
        askWhy();
        timer = setTimeout(open, RETRY_DELAY_MS);
      };
      source.onmessage = ({ data }: MessageEvent<string>) => latest.current(JSON.parse(data) as Event);
    };
    open();
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [url]);
  return liveness;
}

/** A browser tells no page why there is no stream; a session that is over is told to whoever asks, and leads to signing in. */
function askWhy(): void {
  void queryClient.prefetchQuery({
    queryKey: ["events-refused"],
    queryFn: () => read("/session"),
    staleTime: 0,
    retry: false,
  });
}
