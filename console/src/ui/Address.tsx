import { Fragment } from 'react';

/** An address, which breaks after a slash of its path where it has to break. */
export function Address({ url }: { url: string }) {
  return (
    <span data-whole-row="true">
      {url.split(/(?<=[^/]\/)(?=[^/])/).map((part, i) => (
        // The parts of one address never change places.
        <Fragment key={i}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </span>
  );
}
