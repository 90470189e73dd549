# One image for web, workers and scheduler; docker-compose.yml gives each container its command.
ARG PYTHON_IMAGE=python:3.12.11-slim-bookworm
FROM ${PYTHON_IMAGE}

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 DATA_DIR=/data

# The font of charts as PNG and PDF.
RUN apt-get update && apt-get install -y --no-install-recommends fonts-dejavu-core && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY requirements.txt ./
RUN pip install --disable-pip-version-check --require-hashes -r requirements.txt

# A plain user: nothing here needs root, and /data is all it may write to.
RUN useradd --create-home --uid 10001 sicetnon && install -d -o sicetnon -g sicetnon -m 700 /data /data/backups
COPY . .
# What is in the image, as CycloneDX (our packages, Python, pip, Debian's packages): docker run --rm sicetnon cat bill.json
RUN python bin/packages.py bill --image requirements.txt > bill.json
USER sicetnon
VOLUME /data
EXPOSE 8000

CMD ["gunicorn", "config.wsgi", "--bind", "0.0.0.0:8000", "--workers", "2", "--threads", "8", "--forwarded-allow-ips", "", "--no-control-socket"]
