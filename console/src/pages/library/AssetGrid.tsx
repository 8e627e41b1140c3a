import { Skeleton } from '@mantine/core';
import type { Asset } from '@renderkit/contract/v1/schemas/asset.ts';
import { useQuery } from '@tanstack/react-query';
import { v1Query } from '../../api/queries.ts';
import { AssetDetails } from '../../media/AssetDetails.tsx';
import { MediaLightbox } from '../../media/MediaLightbox.tsx';
import { MediaView } from '../../media/MediaView.tsx';
import { itemOfAsset, nameOfItem } from '../../media/media-item.ts';
import { Icon } from '../../ui/Icon.tsx';
import classes from './library.module.css';

type AssetGridProps = {
  assets: readonly Asset[];
  stale: boolean;
  /** Id of the one that is shown large. */
  shown: string | undefined;
  onShow: (id: string | undefined) => void;
};

/** Thumbnails in rows of one height, each in its own ratio, and the lightbox for one of them. */
export function AssetGrid({ assets, stale, shown, onShow }: AssetGridProps) {
  const asset = assets.find(({ id }) => id === shown);
  const project = useQuery({
    ...v1Query('getProject', { params: { id: asset?.project_id ?? '' } }),
    enabled: asset !== undefined && asset.project_id !== null,
    placeholderData: undefined,
    retry: false,
  });
  return (
    <>
      <ul className={classes['grid']} data-stale={stale} aria-label="Items">
        {assets.map((one) => (
          <AssetTile key={one.id} asset={one} onShow={onShow} />
        ))}
      </ul>
      <MediaLightbox
        items={assets.map(itemOfAsset)}
        shown={shown}
        onShow={onShow}
        details={() =>
          asset !== undefined && (
            <AssetDetails asset={asset} project={project.data?.title} onDeleted={() => onShow(undefined)} />
          )
        }
      />
    </>
  );
}

function AssetTile({ asset, onShow }: { asset: Asset; onShow: (id: string) => void }) {
  const item = itemOfAsset(asset);
  const ratio = (asset.width ?? 1) / (asset.height ?? 1);
  return (
    <li className={classes['tile']} style={{ flexGrow: ratio, flexBasis: `calc(var(--row) * ${ratio})` }}>
      <button
        type="button"
        className={classes['open']}
        style={{ aspectRatio: ratio }}
        aria-label={`Show ${nameOfItem(item)}${asset.favorite ? ', a favorite' : ''}`}
        onClick={() => onShow(asset.id)}
      >
        <MediaView item={item} small fill inert alt="" />
        {asset.favorite && (
          <span className={classes['favorite']}>
            <Icon name="heart" size={13} />
          </span>
        )}
      </button>
    </li>
  );
}

export function AssetGridLoading() {
  return (
    <ul className={classes['grid']} aria-busy="true" aria-label="Loading">
      {Array.from({ length: 12 }, (_, i) => (
        <li key={i} className={classes['tile']} style={{ flexGrow: 1, flexBasis: 'var(--row)' }}>
          <Skeleton style={{ aspectRatio: 1 }} />
        </li>
      ))}
    </ul>
  );
}
