/** Text in which what stands between backticks is code. */
export function Prose({ text }: { text: string }) {
  return (
    <>{text.split('`').map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))}</>
  );
}
