"""What alembic runs a migration in: the connection and transaction that `vada.store.migrate` has opened."""

from alembic import context

from vada.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
