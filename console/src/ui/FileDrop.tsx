import { useEffect, useRef, useState } from 'react';
import { Icon } from './Icon.tsx';
import classes from './file-drop.module.css';

type FileDropProps = {
  /** What happens to a file that is let go: "Drop it to import the workflow". */
  label: string;
  onFile: (file: File) => void;
};

/** Takes a file that is dropped anywhere in the window, and shows so while one hovers over it. */
export function FileDrop({ label, onFile }: FileDropProps) {
  const [over, setOver] = useState(false);
  const latest = useRef(onFile);
  useEffect(() => {
    latest.current = onFile;
  });
  useEffect(() => {
    const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const hover = (event: DragEvent) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      // From one element to the next it has somewhere to go; out of the window it has not.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      const file = event.dataTransfer?.files[0];
      // A field under the pointer has taken it.
      if (file === undefined || event.defaultPrevented) return;
      event.preventDefault();
      latest.current(file);
    };
    // Not on the window: files that nobody has taken are ignored there.
    document.addEventListener('dragover', hover);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', hover);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', drop);
    };
  }, []);
  if (!over) return null;
  return (
    <div className={classes['over']} role="status">
      <div className={classes['label']}>
        <Icon name="upload" size={22} />
        {label}
      </div>
    </div>
  );
}
