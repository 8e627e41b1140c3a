import { Fragment } from 'react';

/** An address. It wraps only after a slash of its path. */
export function Address({ url }: { url: string }) {
  return (
    <span data-whole-row="true">
      {url.split(/(?<=[^/]\/)(?=[^/])/).map((part, i) => (
        // The order of the parts never changes.
        <Fragment key={i}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </span>
  );
}
