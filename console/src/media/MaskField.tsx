import { Button, Input, Skeleton, Text } from '@mantine/core';
import { createContext, useContext, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { Notice } from '../ui/Notice.tsx';
import { MaskPainter } from './MaskPainter.tsx';
import { type MaskGround, maskOf } from './mask-drawing.ts';
import type { MaskStep, Size } from './mask-step.ts';
import { mayShow, uploadOf } from './mask-steps.ts';
import { useStoredMask } from './use-stored-mask.ts';
import { useMaskAt, useMaskImages } from './use-mask-images.ts';
import type { Reference } from './reference.ts';
import { useReference, useUpload } from './use-reference.ts';

type MaskFieldProps = {
  source: Reference | undefined;
  /** A data URL, or the id of an upload. */
  mask: string | undefined;
  strokes: readonly MaskStep[];
  onChange: (mask: string | undefined, strokes: readonly MaskStep[]) => void;
  error?: string | undefined;
};

/** The element of the page in which to paint. Without one, the field shows the painting in its own place. */
export const PaintingRoom = createContext<HTMLElement | null>(null);

/** The field to paint the part of an image that the edit may change. */
export function MaskField(props: MaskFieldProps) {
  const room = useContext(PaintingRoom);
  return room === null ? <Mask {...props} /> : createPortal(<Mask {...props} />, room);
}

function Mask({ source, mask, strokes, onChange, error }: MaskFieldProps) {
  const known = useReference(source);
  const { upload } = useUpload(source?.value ?? '');
  const address = upload?.url ?? known?.url ?? undefined;
  return (
    <div data-field="mask">
      <Input.Wrapper
        label="Mask"
        labelElement="div"
        description="Paint over what is to change; all else stays as it is."
        error={error}
      >
        {source === undefined ? (
          <Text fz="sm" c="dimmed" mt={6}>
            Choose the picture first: it is painted on.
          </Text>
        ) : address === undefined ? (
          <Notice mt={6}>
            This picture is fetched after the run has begun, so there is nothing to paint on yet. Send it as a
            file, or choose it from the library.
          </Notice>
        ) : (
          <Painting
            key={address}
            address={address}
            covered={known?.nsfw === true}
            mask={mask}
            refused={error !== undefined}
            strokes={strokes}
            onChange={onChange}
          />
        )}
      </Input.Wrapper>
    </div>
  );
}

type PaintingProps = Pick<MaskFieldProps, 'mask' | 'strokes' | 'onChange'> & {
  address: string;
  /** The service refused the mask. */
  refused: boolean;
  /** Adult content: shown only when the person asks for it. */
  covered: boolean;
};

function Painting({ address, covered, mask, refused, strokes, onChange }: PaintingProps) {
  const [uncovered, setUncovered] = useState(!covered);
  const size = useImageSize(address);
  /** The upload that an earlier request used as its mask. */
  const kept = mask?.startsWith('upl_') === true ? mask : undefined;
  const unread = strokes.length === 0 ? kept : undefined;
  const upload = useStoredMask(unread ?? uploadOf(strokes));
  const { images, add } = useMaskImages(strokes, (png) =>
    onChange(
      kept,
      strokes.filter((step) => step.kind !== 'image' || step.png !== png),
    ),
  );
  useMaskAt(unread && upload.address, (step, image) => {
    if (unread === undefined) return;
    add(step.png, image);
    onChange(unread, [{ ...step, upload: unread }]);
  });
  const lost = upload.gone || (kept !== undefined && refused);
  const ground =
    size === undefined || size === 'unreadable' || images === undefined
      ? undefined
      : { image: size, images, lost };
  useDrawnAnew(mask, strokes, ground, onChange);
  if (size === 'unreadable')
    return (
      <Notice mt={6} tone="bad">
        The picture could not be loaded from the studio, so there is nothing to paint on. Choose it anew, or
        another.
      </Notice>
    );
  if (ground === undefined) return <Skeleton h={220} mt={6} aria-label="The picture is loading" />;
  if (!uncovered)
    return (
      <Button variant="default" mt={6} onClick={() => setUncovered(true)}>
        Show adult content to paint on it
      </Button>
    );
  return <MaskPainter kept={kept !== undefined} {...ground} {...{ address, strokes, onChange }} />;
}

/** Draws the mask from its strokes when the mask is not yet a drawing of them. */
function useDrawnAnew(
  mask: string | undefined,
  strokes: readonly MaskStep[],
  ground: MaskGround | undefined,
  onChange: MaskFieldProps['onChange'],
): void {
  const due = mask?.startsWith('data:') !== true && mayShow(strokes);
  const { image, images, lost } = ground ?? {};
  useEffect(() => {
    if (!due || ground === undefined) return;
    const drawn = maskOf(strokes, ground);
    if (drawn !== mask) onChange(drawn, strokes);
    // `onChange` is a new function in each render, but does the same.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [due, mask, strokes, image, images, lost]);
}

function useImageSize(address: string): Size | 'unreadable' | undefined {
  const [size, setSize] = useState<Size | 'unreadable'>();
  useEffect(() => {
    const image = new Image();
    image.crossOrigin = 'anonymous';
    image.addEventListener('load', () => setSize({ width: image.naturalWidth, height: image.naturalHeight }));
    image.addEventListener('error', () => setSize('unreadable'));
    image.src = address;
    return () => image.removeAttribute('src');
  }, [address]);
  return size;
}
