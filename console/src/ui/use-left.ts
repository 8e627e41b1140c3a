import { type RefObject, useEffect, useRef } from 'react';

/**
 * Returns a ref that is `true` after the component was unmounted: the person has left. A late response must not
 * navigate back.
 */
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
