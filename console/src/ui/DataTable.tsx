import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export type Column<Row> = {
  /** The head of the column, and the label of its values where a row is a card. */
  title: string;
  /** In place of the title, where the head is more than text. */
  head?: ReactNode;
  /**
   * A column of controls: only screen readers read its title, and on a card it stands beside the head.
   */
  controls?: boolean;
  cell: (row: Row) => ReactNode;
  /** The head of a card, where that is not the first column. */
  cardHead?: boolean;
  align?: 'right';
  /** A card has a line of its own for it, below the others: for what is longer than some words. */
  ownLine?: boolean;
  /** These hold while the rows stand in columns. */
  width?: string;
  minWidth?: string;
};

type DataTableProps<Row> = {
  /** Names the table for those who do not see it. */
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** These rows are shown while others load. */
  stale?: boolean;
  /** Below the rows. */
  footer?: ReactNode;
};

/** The contents of a cell on one line, as long as the rows stand in columns. */
export function NoWrap({ children }: { children: ReactNode }) {
  return <span className={classes['noWrap']}>{children}</span>;
}

/**
 * A table whose rows become cards on narrow screens: one value is the head of a card, the others stand below it with their
 * labels, and nothing is left out. On middling screens it scrolls within its own frame. The roles are written out because
 * browsers drop them where a table is not drawn as one.
 */
export function DataTable<Row>({ label, columns, rows, rowKey, stale, footer }: DataTableProps<Row>) {
  const head =
    columns.find((column) => column.cardHead === true) ?? columns.find((column) => column.controls !== true);
  const partOf = (column: Column<Row>) =>
    column === head ? 'head' : column.controls === true ? 'controls' : 'value';
  return (
    <div className={classes['frame']} data-stale={stale}>
      <div className={classes['scroll']} role="region" aria-label={label} tabIndex={0}>
        <Table aria-label={label} role="table">
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {columns.map((column) => (
                <Table.Th
                  key={column.title}
                  scope="col"
                  role="columnheader"
                  data-part={partOf(column)}
                  data-head={column.head !== undefined}
                  data-align={column.align}
                  w={column.width}
                  miw={column.minWidth}
                >
                  {column.head ?? (
                    <span className={column.controls === true ? classes['visuallyHidden'] : undefined}>
                      {column.title}
                    </span>
                  )}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup">
            {rows.map((row) => (
              <Table.Tr key={rowKey(row)} role="row">
                {columns.map((column) => (
                  <Table.Td
                    key={column.title}
                    role="cell"
                    data-part={partOf(column)}
                    data-own-line={column.ownLine}
                    data-align={column.align}
                    data-title={column.title}
                  >
                    {column.cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {footer}
    </div>
  );
}
