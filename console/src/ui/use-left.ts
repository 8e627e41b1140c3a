import { type RefObject, useEffect, useRef } from 'react';

/** Whether the person has left what this belongs to: whoever has is not brought back by an answer that comes late. */
export function useLeft(): RefObject<boolean> {
  const left = useRef(false);
  useEffect(() => {
    left.current = false;
    return () => {
      left.current = true;
    };
  }, []);
  return left;
}
