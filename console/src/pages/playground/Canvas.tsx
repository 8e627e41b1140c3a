import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { type FocusEvent, lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { useSignedIn } from '../../session/use-signed-in.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import type { Compared } from './Compare.tsx';
import { Result } from './Result.tsx';
import { Runs } from './Runs.tsx';
import { batchOf } from './drafts.ts';
import classes from './playground.module.css';
import { useRuns, watchingOf } from './use-runs.ts';

const Compare = lazy(async () => ({ default: (await import('./Compare.tsx')).Compare }));

/** As many as can be told apart side by side. */
const maxCompared = 4;

type CanvasProps = {
  shown: string | undefined;
  kind?: GenerationKind | undefined;
  /** Receives the element in which the form lets people paint. */
  paintingRef: (room: HTMLElement | null) => void;
};

/** What is painted on or was made, as large as the window has room, and the newest runs below it. */
export function Canvas({ shown, kind = 'image', paintingRef }: CanvasProps) {
  const { account } = useSignedIn();
  const rows = useRuns();
  const { ids, labels } = shown === undefined ? { ids: [], labels: [] } : batchOf(account.id, shown);
  const watching = watchingOf(rows, ids);
  const canvasRef = useRef<HTMLDivElement>(null);
  useScrollToResult(canvasRef, shown);
  useScrollToPainting(canvasRef);
  const noteFocus = useKeptFocus(canvasRef);
  const { marked, mark, compared, compare, close } = useCompared();
  return (
    <div ref={canvasRef} className={classes['canvas']} onFocus={noteFocus}>
      <div ref={paintingRef} className={classes['painting']} />
      {shown === undefined ? (
        <Nothing kind={kind} />
      ) : (
        <Result key={ids[0]} {...{ ids, labels, rows, watching, marked, mark, compare }} />
      )}
      <Runs {...{ rows, watching }} shown={ids} />
      {compared.length > 0 && (
        <Suspense>
          <Compare items={compared} onClose={close} />
        </Suspense>
      )}
    </div>
  );
}

/** Scrolls to the result of a new run, where something is painted on above it or an earlier one was looked at. */
function useScrollToResult(canvas: RefObject<HTMLElement | null>, shown: string | undefined): void {
  const before = useRef(shown);
  useEffect(() => {
    if (shown === before.current) return;
    before.current = shown;
    const result = canvas.current?.querySelector<HTMLElement>('section');
    if (result) canvas.current?.scrollTo({ top: result.offsetTop - (canvas.current.offsetTop + 8) });
  }, [canvas, shown]);
}

/**
 * Scrolls to what is to be painted on as soon as it is there: a browser keeps in sight what it pushes down. The form puts it
 * there, wherever the form has got it from.
 */
function useScrollToPainting(canvas: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const room = canvas.current?.firstElementChild;
    if (!room) return undefined;
    const observer = new MutationObserver(() => {
      if (room.childElementCount > 0) canvas.current?.scrollTo({ top: 0 });
    });
    observer.observe(room, { childList: true });
    return () => observer.disconnect();
  }, [canvas]);
}

/**
 * Gives the focus to the result where what had it on the canvas is gone: a button that has ended its run, or begun another, or
 * the dialog that asked before, which goes later than the run ends.
 */
function useKeptFocus(canvas: RefObject<HTMLElement | null>): (event: FocusEvent) => void {
  const last = useRef<Element>(null);
  useEffect(() => {
    // What is removed with the focus in it tells nobody.
    const observer = new MutationObserver(() => {
      if (last.current?.isConnected !== false || document.activeElement !== document.body) return;
      canvas.current?.querySelector<HTMLElement>('section')?.focus({ preventScroll: true });
    });
    observer.observe(document.body, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [canvas]);
  return ({ target }) => {
    last.current = target;
  };
}

/** What is marked for comparing, and what is being compared: the second mark opens the comparison. */
function useCompared() {
  const [marked, setMarked] = useState<readonly Compared[]>([]);
  const [compared, setCompared] = useState<readonly Compared[]>([]);
  const mark = (one: Compared) => {
    const others = marked.filter(({ item }) => item.id !== one.item.id);
    const next = others.length < marked.length ? others : [...others, one];
    setMarked(next.length > 1 ? [] : next);
    if (next.length > 1) setCompared(next);
  };
  return {
    marked: marked.map(({ item }) => item.id),
    mark,
    compared,
    compare: (items: readonly Compared[]) => setCompared(items.slice(0, maxCompared)),
    close: () => setCompared([]),
  };
}

function Nothing({ kind }: { kind: GenerationKind }) {
  const noun = kind === 'image' || kind === 'image_edit' ? 'picture' : 'video';
  return (
    <div className={classes['nothing']}>
      <EmptyState icon={noun === 'picture' ? 'image' : 'video'} title={`Your ${noun} appears here`}>
        Say what you want and run it: Ctrl and Enter. Everything you run is kept under Generations, everything
        made in the Library.
      </EmptyState>
    </div>
  );
}
