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

/** The most results that are readable side by side. */
const maxCompared = 4;

type CanvasProps = {
  shown: string | undefined;
  kind?: GenerationKind | undefined;
  /** Called with the element in which the form shows the painting. */
  paintingRef: (room: HTMLElement | null) => void;
};

/** Shows the painting or the result, as large as the window allows, and the newest runs below. */
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

/** Scrolls to the result of a new run, because a painting may be above it or an earlier result was in view. */
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
 * Scrolls to the painting when the form adds it. The browser keeps the earlier content in view and would leave the
 * painting out of view.
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
 * Moves the focus to the result when the focused element was removed. This may be a button that ended or started a run,
 * or its confirmation dialog, which closes after the run has ended.
 */
function useKeptFocus(canvas: RefObject<HTMLElement | null>): (event: FocusEvent) => void {
  const last = useRef<Element>(null);
  useEffect(() => {
    // Removing a focused element fires no event.
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

/** Manages the results that are marked for comparing and those being compared. The second mark opens the comparison. */
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
