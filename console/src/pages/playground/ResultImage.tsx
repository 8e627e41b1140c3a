import { ActionIcon, Tooltip } from '@mantine/core';
import type { Generation } from '@renderkit/contract/v1/schemas/generation.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { callV1 } from '../../api/client.ts';
import { copyLink } from '../../media/copy-link.ts';
import type { ItemUse } from '../../media/item-use.ts';
import { MediaView } from '../../media/MediaView.tsx';
import { downloadAddress, type MediaItem, nameOfItem } from '../../media/media-item.ts';
import { useAssetState } from '../../media/use-asset.ts';
import { useSignedIn } from '../../session/use-signed-in.ts';
import { Icon, type IconName } from '../../ui/Icon.tsx';
import classes from './result.module.css';
import type { ResultKey } from './result-keys.ts';
import type { Culling } from './use-culling.tsx';
import { kindOfUse } from './use-initial-form.ts';

type ResultImageProps = {
  item: MediaItem;
  generation: Generation;
  culling: Culling;
  /** The item is marked for comparing. */
  marked: boolean;
  mark: () => void;
  onLarge: (id: string) => void;
};

/**
 * An action on a result: a button below it, and a key that works while the result or one of its buttons has the focus.
 */
type Action = { key: ResultKey; label: string; icon: IconName; act: () => void; pressed?: boolean };

const route = getRouteApi('/signed-in/playground');

/** One result, with its actions by pointer and by keys. */
export function ResultImage(props: ResultImageProps) {
  const { item, onLarge } = props;
  const actions = useActions(props);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const action = actions.find(({ key }) => key === event.key.toUpperCase());
    if (action === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    action.act();
  };
  const name = nameOfItem(item);
  return (
    // The keys belong to the buttons inside. None of them is a text field.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className={classes['picture']}
      onKeyDown={onKeyDown}
      data-item={item.id}
      data-kept={props.culling.kept.has(item.id)}
    >
      <div className={classes['media']}>
        <MediaView item={item} />
        {item.type === 'image' ? (
          <button
            type="button"
            className={classes['open']}
            aria-label={`Show ${name} large`}
            onClick={() => onLarge(item.id)}
          />
        ) : (
          <ActionIcon
            className={classes['openVideo']}
            variant="default"
            aria-label={`Show ${name} large`}
            onClick={() => onLarge(item.id)}
          >
            <Icon name="eye" size={14} />
          </ActionIcon>
        )}
      </div>
      <div className={classes['actions']} role="group" aria-label={`With ${name}`}>
        {actions.map(({ key, label, icon, act, pressed }) => (
          <Tooltip key={key} label={`${label} (${key})`}>
            <ActionIcon
              size={28}
              variant={pressed === true ? 'light' : 'subtle'}
              color={pressed === true ? 'teal' : 'gray'}
              aria-label={label}
              aria-pressed={pressed}
              aria-keyshortcuts={key}
              onClick={act}
            >
              <Icon name={icon} size={15} />
            </ActionIcon>
          </Tooltip>
        ))}
      </div>
    </div>
  );
}

function useActions({ item, culling, marked, mark }: ResultImageProps): Action[] {
  const navigate = route.useNavigate();
  const { studio_url: studioUrl } = useSignedIn();
  const favorite = useFavorite(item);
  const use = (as: ItemUse) =>
    void navigate({
      search: (before) => ({ ...before, kind: kindOfUse[as], model: undefined, use: item.id, as }),
      replace: true,
      resetScroll: false,
    });
  const { url } = item;
  const kept = culling.kept.has(item.id);
  const uses: Action[] =
    item.type === 'image'
      ? [
          { key: 'E', label: 'Edit', icon: 'edit', act: () => use('image') },
          { key: 'R', label: 'Use as reference', icon: 'reference', act: () => use('reference_images') },
          { key: 'A', label: 'Animate', icon: 'video', act: () => use('start_image') },
        ]
      : [
          { key: 'E', label: 'Extend', icon: 'right', act: () => use('video') },
          { key: 'R', label: 'Draw it anew', icon: 'reference', act: () => use('source_video') },
        ];
  return [
    ...(favorite === undefined ? [] : [favorite]),
    ...uses,
    ...(url === null
      ? []
      : ([
          {
            key: 'D',
            label: 'Download',
            icon: 'download',
            act: () => download(downloadAddress(url, studioUrl)),
          },
          { key: 'L', label: 'Copy link', icon: 'link', act: () => void copyLink(url) },
        ] satisfies Action[])),
    ...(item.type === 'image'
      ? ([{ key: 'C', label: 'Compare', icon: 'compare', act: mark, pressed: marked }] satisfies Action[])
      : []),
    { key: 'K', label: 'Keep', icon: 'keep', act: () => culling.keep(item), pressed: kept },
    { key: 'X', label: 'Discard', icon: 'trash', act: () => culling.discard([item]) },
  ];
}

/**
 * Returns the action to mark a favorite. `undefined` when the library does not have the item. If the person presses it
 * before the library has answered, the item becomes a favorite after the answer. The press is forgotten when no answer
 * arrives.
 */
function useFavorite(item: MediaItem): Action | undefined {
  const { asset, missing } = useAssetState(item.id, item.type);
  const [early, setEarly] = useState(false);
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (favorite: boolean) =>
      callV1('updateAsset', { params: { type: item.pathType, id: item.id }, body: { favorite } }),
    onSuccess: () =>
      Promise.all(
        ['listAssets', 'getImageAsset'].map((id) => queries.invalidateQueries({ queryKey: ['v1', id] })),
      ),
  });
  const { mutate } = change;
  useEffect(() => {
    if (!early || (asset === undefined && !missing)) return;
    setEarly(false);
    // The item was already shown as a favorite, so the mark is set whatever its earlier state was.
    if (!missing) mutate(true);
  }, [early, asset, missing, mutate]);
  if (missing) return undefined;
  const favorite = change.isPending ? change.variables : (asset?.favorite ?? early);
  return {
    key: 'F',
    label: 'Favorite',
    icon: 'heart',
    act: () => (asset === undefined ? setEarly(!early) : mutate(!favorite)),
    pressed: favorite,
  };
}

function download(address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  link.target = '_blank';
  link.rel = 'noreferrer';
  link.click();
}
