export interface Options {
  /** The port of the HTTP endpoint; a free one if it is absent or 0. */
  port?: number;
  /** The region that clients sign for, us-east-1 by default. */
  region?: string;
  /** The pg_config of the PostgreSQL server to use; by default that of PG_CONFIG, of PATH or of the usual directories. */
  pgConfig?: string;
}

export interface LocalServer {
  /** The address of the endpoint, such as http://127.0.0.1:40123. */
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { accessKeyId: string; secretAccessKey: string };
  /** Resolves when the server has ended: after stop(), or because it was killed. */
  readonly ended: Promise<void>;
  /** Removes everything; endpoint and credentials stay the same. */
  reset(): Promise<void>;
  /** Starts another server with a copy of everything, at another endpoint, with the same credentials. */
  clone(options?: { port?: number }): Promise<LocalServer>;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
}

/** Starts a private server, which ends with this process at the latest. */
export function start(options?: Options): Promise<LocalServer>;
