import { ActionIcon, Text } from '@mantine/core';
import { Icon } from '../ui/Icon.tsx';
import { StatusBadge } from '../ui/StatusBadge.tsx';
import { MediaView } from './MediaView.tsx';
import classes from './reference-input.module.css';
import type { Reference } from './reference.ts';
import { useReference, useUpload } from './use-reference.ts';

/** One reference of a field: its thumbnail, the state of its checks, and a button to remove it. */
export function ReferenceCard({ reference, onRemove }: { reference: Reference; onRemove: () => void }) {
  const known = useReference(reference) ?? reference;
  const { upload, gone } = useUpload(reference.value);
  const name = upload?.file_name ?? known.name;
  return (
    <div className={classes['card']}>
      <div className={classes['thumb']}>
        <Thumb reference={upload === undefined ? known : { ...known, url: upload.url }} />
        <ActionIcon
          className={classes['remove']}
          variant="default"
          size="sm"
          aria-label={`Remove ${name}`}
          onClick={onRemove}
        >
          <Icon name="close" size={12} />
        </ActionIcon>
      </div>
      <span className={classes['name']} title={name}>
        {name}
      </span>
      {upload !== undefined && upload.status !== 'ready' && <StatusBadge status={upload.status} />}
      {upload?.status === 'rejected' && (
        <Text className={classes['bad']} fz="xs" role="alert">
          {upload.error ?? 'Moderation rejected it.'}
        </Text>
      )}
      {gone && (
        <Text className={classes['bad']} fz="xs" role="alert">
          It is no longer there. Choose another.
        </Text>
      )}
    </div>
  );
}

function Thumb({ reference }: { reference: Reference }) {
  const { type, url, thumbUrl, name, nsfw } = reference;
  // An uploaded video has no thumbnail.
  if (type === 'audio' || (url === null && thumbUrl === null) || (type === 'video' && thumbUrl === null))
    return <Icon name={type === 'image' ? 'image' : type === 'video' ? 'video' : 'play'} size={22} />;
  return (
    <MediaView
      item={{
        id: reference.value,
        type,
        url,
        thumbUrl,
        width: null,
        height: null,
        duration: null,
        nsfw,
        pathType: type,
      }}
      small
      fill
      inert
      alt={name}
    />
  );
}
