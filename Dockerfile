# kannuki: one image for `serve`, `worker` and every other command.
#
#   docker build -t kannuki .
#   docker run --init -p 127.0.0.1:4010:4010 -e KANNUKI_API_TOKEN="$(openssl rand -hex 32)" -v kannuki:/data kannuki
#
# Nothing secret is inside: tokens and addresses come from the environment. It runs as an ordinary user. Without
# DATABASE_URL it keeps a PostgreSQL of its own in /data.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
# The same archive that is published; packing builds it.
RUN npm pack && mv kannuki-*.tgz kannuki.tgz

FROM node:24-bookworm-slim AS install
WORKDIR /app
COPY --from=build /src/kannuki.tgz ./
# With the clients that are optional for others.
RUN npm install --ignore-scripts --omit=dev --no-fund --no-audit \
      ./kannuki.tgz ioredis@6 nodemailer@10 stripe@23 @aws-sdk/client-s3@3 \
    && rm kannuki.tgz

FROM node:24-bookworm-slim
ENV NODE_ENV=production KANNUKI_DATA=/data
COPY --from=install /app /app
RUN ln -s /app/node_modules/kannuki/dist/cli/main.js /usr/local/bin/kannuki \
    && chmod +x /app/node_modules/kannuki/dist/cli/main.js \
    && mkdir /data /logs && chown node:node /data /logs
USER node
WORKDIR /data
VOLUME /data
EXPOSE 4010
# SIGTERM drains: runs under way have half a minute to end.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4010/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["kannuki"]
CMD ["serve", "--host", "0.0.0.0"]
