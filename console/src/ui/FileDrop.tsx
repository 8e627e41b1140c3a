import { useEffect, useRef, useState } from 'react';
import { Icon } from './Icon.tsx';
import classes from './file-drop.module.css';

type FileDropProps = {
  /** Text about what a drop does: "Drop it to import the workflow". */
  label: string;
  onFile: (file: File) => void;
};

/** Accepts a file that is dropped anywhere in the window. Shows a hint while a file is over the window. */
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
      // `relatedTarget` is the next element. It is `null` when the pointer leaves the window.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      const file = event.dataTransfer?.files[0];
      // A field under the pointer has accepted the file.
      if (file === undefined || event.defaultPrevented) return;
      event.preventDefault();
      latest.current(file);
    };
    // Listens on the document, not on the window, where files that no component has accepted are ignored.
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
