# slotswap for a container: docker build -t slotswap .
# Build the group's number into it with --build-arg SLOTS_GID=N when the llama-server beside it has another.
ARG BUILD_IMAGE=debian:12
ARG RUNTIME_IMAGE=debian:12-slim

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
# Alone, so that a change of the code does not install everything again.
COPY tools/deps tools/
RUN tools/deps build && rm -rf /var/lib/apt/lists/*
COPY . .
RUN cmake --preset release -DSLOTSWAP_BUILD_TESTS=OFF \
 && bash -c 'source tools/lib.sh && cmake --build --preset release --target slotswap --parallel "$(jobs)"' \
 && strip -o /slotswap build/release/slotswap

FROM ${RUNTIME_IMAGE}
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      ca-certificates curl libboost-json1.81.0 libfmt9 libspdlog1.10 libssl3 libxxhash0 libyaml-cpp0.7 \
 && rm -rf /var/lib/apt/lists/*
ARG SLOTS_GID=10003
# The folder of saved states: a new volume takes over its owner and mode. Setgid, never sticky: slotswap renames
# and removes what the server's user wrote.
RUN groupadd --gid "${SLOTS_GID}" slots \
 && useradd --uid 10001 --user-group --groups slots --no-create-home --shell /usr/sbin/nologin slotswap \
 && install -d -g slots -m 2770 /slots
COPY --from=build /slotswap /usr/local/bin/slotswap
COPY deploy/slotswap.yaml /etc/slotswap/slotswap.yaml
RUN slotswap --version
USER slotswap
EXPOSE 9940
HEALTHCHECK --interval=10s --timeout=3s --start-period=75s \
  CMD ["curl", "-fsS", "-o", "/dev/null", "http://127.0.0.1:9940/slotswap/health"]
ENTRYPOINT ["slotswap"]
CMD ["serve", "/etc/slotswap/slotswap.yaml"]
