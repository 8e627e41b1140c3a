import { createHmac } from 'node:crypto';

/** The superuser of the embedded cluster. */
export const superuser = 'renderkit';

/** How to reach a cluster as its superuser. */
export type ClusterConnection = {
  /** The directory of the unix socket, or on Windows 127.0.0.1. */
  host: string;
  port: number;
  password: string;
};

/** The address of a database; libpq and `pg` read an encoded directory as a socket's. */
export function databaseUrl(cluster: ClusterConnection, database: string, user: string): string {
  const password = user === superuser ? cluster.password : rolePassword(cluster, user);
  return `postgresql://${user}:${encodeURIComponent(password)}@${encodeURIComponent(cluster.host)}:${cluster.port}/${database}`;
}

/** A role's password comes from the superuser's, so that there is one secret to keep and to back up. */
export function rolePassword(cluster: ClusterConnection, role: string): string {
  return createHmac('sha256', cluster.password).update(`role ${role}`).digest('hex');
}
